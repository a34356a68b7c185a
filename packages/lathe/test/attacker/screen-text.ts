// A terminal that only takes down what is written to it.

import { Writable } from "node:stream";

/** What readline itself writes: it moves to a column and clears what is right of it. */
export const OWN = /\u001b\[\d+G|\u001b\[0J|\r/g;

export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  text = "";
  #waiting: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    this.#waiting?.();
    done();
  }

  /** Resolves when the text ends like this. */
  async until(end: string): Promise<void> {
    while (!this.text.slice(-100).replace(OWN, "").endsWith(end)) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }
}
