// Writes one JSON object per line and never waits. A caller with much to write awaits `ready` first, so that a slow
// reader delays what can be merged (deltas) but never replies.

import type { Writable } from "node:stream";

/** Writes frames. */
export interface FrameWriter {
  write(frame: object): void;
  /** Undefined while the reader keeps up; otherwise resolves when it has caught up or gone. */
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
    // A destroyed stream never drains, so nothing would resolve `ready`.
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

  /** Writes the last frame; later ones are dropped. */
  writeLast(frame: object): void {
    this.write(frame);
    this.#isOver = true;
  }

  /** Undefined while the reader keeps up; otherwise resolves when it has caught up or gone. */
  get ready(): Promise<void> | undefined {
    return this.#full;
  }

  /** Resolves when everything was passed to the system. */
  flush(): Promise<void> {
    return new Promise((resolve) => this.#stream.write("", () => resolve()));
  }
}
