// A program's stdout for one reader: bytes are taken from the pipe when they are asked for, so that a slow reader holds the
// program back instead of filling our memory.

import type { Readable } from "node:stream";
import type { Clock } from "./clock.ts";

/** How long a pipe may stay silent after its program's exit, because something else still holds it. */
const SILENCE_MS = 50;

export class PipeReader implements AsyncIterable<Uint8Array> {
  readonly #pipe: Readable;
  readonly #clock: Clock;
  #programRuns = true;
  #ended = false;
  /** Called at every change that a reader may wait for. */
  #wake = () => {};
  #unread: Uint8Array | undefined;
  /** Reads follow each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(pipe: Readable, exited: Promise<unknown>, clock: Clock) {
    this.#pipe = pipe;
    this.#clock = clock;
    pipe.on("readable", () => this.#wake());
    for (const end of ["end", "error", "close"]) {
      pipe.once(end, () => {
        this.#ended = true;
        this.#wake();
      });
    }
    exited.then(() => {
      this.#programRuns = false;
      this.#wake();
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    // No `return`: a caller that leaves the loop may come back for the rest.
    return {
      next: () => {
        const read = this.#last.then(() => this.#read());
        this.#last = read;
        return read;
      },
    };
  }

  /** Gives back what was read too far; it comes first at the next read. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#unread = bytes;
  }

  async #read(): Promise<IteratorResult<Uint8Array, undefined>> {
    const unread = this.#unread;
    if (unread !== undefined) {
      this.#unread = undefined;
      return { done: false, value: unread };
    }
    for (;;) {
      const value = this.#pipe.read() as Buffer | null;
      if (value !== null) return { done: false, value };
      if (this.#ended) return { done: true, value: undefined };
      if (this.#programRuns) await this.#change();
      else await this.#changeOrSilence();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Nothing of the program itself can be missing then: what it wrote lay in the pipe when it ended. */
  async #changeOrSilence(): Promise<void> {
    let silent = false;
    const change = this.#change();
    const cancel = this.#clock.after(SILENCE_MS, () => {
      // Timers run before pipes are looked at: in a busy process there may be bytes that were not fetched yet.
      setImmediate(() => {
        silent = true;
        this.#wake();
      });
    });
    await change;
    cancel();
    if (!silent || this.#pipe.readableLength > 0) return;
    this.#ended = true;
    // Read on and forget: a closed pipe would kill what holds it at its next write.
    this.#pipe.removeAllListeners("readable").resume();
  }
}
