// A terminal that only records what is written to it, and a keyboard.

import { PassThrough, Writable } from "node:stream";

export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  text = "";
  #wanted: { readonly text: string; readonly seen: () => void } | undefined;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    this.#look();
    done();
  }

  /** Resolves when the output ends with the text. */
  endsWith(text: string): Promise<void> {
    return new Promise((seen) => {
      this.#wanted = { text, seen };
      this.#look();
    });
  }

  #look(): void {
    if (this.#wanted && this.text.endsWith(this.#wanted.text)) this.#wanted.seen();
  }
}

export class Keyboard extends PassThrough {
  readonly isTTY = true;

  setRawMode(): this {
    return this;
  }
}
