// Writes one JSON object per line. Nothing here waits: a caller that has much to write awaits `ready` first, so that a slow reader on
// the other side slows down what can be merged (deltas) and never what must be answered.

import type { Writable } from "node:stream";

/** Takes frames on their way out. */
export interface FrameWriter {
  write(frame: object): void;
  /** Undefined when the reader keeps up; else settles when it has caught up or gone. */
  readonly ready: Promise<void> | undefined;
}

export class LineWriter implements FrameWriter {
  readonly #stream: Writable;
  #full: Promise<void> | undefined;
  #isOver = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(frame: object): void {
    // Nothing would tell when a stream that is closed can be written again.
    if (this.#isOver || this.#stream.destroyed) return;
    const free = this.#stream.write(`${JSON.stringify(frame)}\n`);
    if (free || this.#full) return;
    this.#full = new Promise((resolve) => {
      const go = (): void => {
        this.#full = undefined;
        this.#stream.off("drain", go);
        this.#stream.off("close", go);
        resolve();
      };
      this.#stream.on("drain", go);
      this.#stream.on("close", go);
    });
  }

  /** Nothing follows it, whatever is still coming to an end. */
  writeLast(frame: object): void {
    this.write(frame);
    this.#isOver = true;
  }

  /** Undefined when the reader keeps up; else settles when it has caught up or gone. */
  get ready(): Promise<void> | undefined {
    return this.#full;
  }

  /** Settles when everything has been passed to the system. */
  flush(): Promise<void> {
    return new Promise((resolve) => this.#stream.write("", () => resolve()));
  }
}
