// A terminal that only takes down what is written to it.

import { Writable } from "node:stream";

export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}
