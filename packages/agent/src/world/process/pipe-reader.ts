// A program's stdout for one reader: bytes are taken from the pipe only on request, so that a slow reader holds the
// program back instead of filling our memory.

import type { Readable } from "node:stream";
import type { Clock } from "./clock.ts";

/** How long a pipe that another process still holds may stay silent after the program's exit. */
const SILENCE_MS = 50;

export class PipeReader implements AsyncIterable<Uint8Array> {
  readonly #pipe: Readable;
  readonly #clock: Clock;
  #programRuns = true;
  #ended = false;
  /** Called at every change that a reader may wait for. */
  #wake = () => {};
  #unread: Uint8Array | undefined;
  /** Serializes reads. */
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
    // No `return`, because a caller that leaves the loop may come back for the rest.
    return {
      next: () => {
        const read = this.#last.then(() => this.#read());
        this.#last = read;
        return read;
      },
    };
  }

  /** Puts back what was read too far; the next read returns it first. */
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

  /** Then none of the program's own output can be missing, because it was in the pipe when the program ended. */
  async #changeOrSilence(): Promise<void> {
    let silent = false;
    const change = this.#change();
    const cancel = this.#clock.after(SILENCE_MS, () => {
      // Timers run before pipes are polled, so a busy process may not have fetched all bytes yet.
      setImmediate(() => {
        silent = true;
        this.#wake();
      });
    });
    await change;
    cancel();
    if (!silent || this.#pipe.readableLength > 0) return;
    this.#ended = true;
    // Keep reading and discard: a closed pipe would kill its holder at the next write.
    this.#pipe.removeAllListeners("readable").resume();
  }
}
