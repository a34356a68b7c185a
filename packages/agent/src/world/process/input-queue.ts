// Data waiting to be written to a program's stdin: ordered, bounded, each write with its own deadline.

import type { Writable } from "node:stream";
import type { Clock } from "./clock.ts";
import { EnvError, type EnvErrorCode } from "./types.ts";

/** A single write may exceed this if nothing else is queued. */
export const INPUT_LIMIT = 8 << 20;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: EnvError) => void;
  readonly cancelDeadline: () => void;
}

export class InputQueue {
  readonly #pipe: Writable;
  /** The name used in error messages. */
  readonly #program: string;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** The pipe is taking the first entry. */
  #waiting: Waiting[] = [];
  #bytes = 0;
  /** Why no more writes are accepted. */
  #closed: EnvError | undefined;
  readonly #pipeClosed: Promise<void>;

  constructor(pipe: Writable, program: string, clock: Clock, timeoutMs: number) {
    this.#pipe = pipe;
    this.#program = program;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#pipeClosed = new Promise((resolve) => pipe.once("close", resolve));
    pipe.on("error", () => this.destroy(`${program} has closed its standard input.`));
  }

  write(content: string | Uint8Array): Promise<void> {
    // Bytes are copied, because the caller may keep using its buffer while they wait.
    const bytes = Buffer.from(content as Uint8Array);
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#waiting.length > 0 && this.#bytes + bytes.length > INPUT_LIMIT) {
      const state = `${this.#bytes} bytes of input are already waiting`;
      return Promise.reject(this.#error("busy", `${this.#program} is not keeping up: ${state}. Await earlier writes.`));
    }
    return new Promise((resolve, reject) => {
      const cancelDeadline = this.#clock.after(this.#timeoutMs, () => this.#timedOut(waiting));
      const waiting: Waiting = { bytes, resolve, reject, cancelDeadline };
      this.#bytes += bytes.length;
      if (this.#waiting.push(waiting) === 1) this.#writeFirst();
    });
  }

  /** Closes the pipe after the queued data; resolves when it is closed. */
  end(): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.#error("closed", `The standard input of ${this.#program} was closed.`);
      if (this.#waiting.length === 0) this.#pipe.end();
    }
    return this.#pipeClosed;
  }

  /** Closes the pipe at once and rejects queued writes. */
  destroy(reason: string): void {
    const error = this.#error("closed", reason);
    this.#closed ??= error;
    const rejected = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const { reject, cancelDeadline } of rejected) {
      cancelDeadline();
      reject(error);
    }
    this.#pipe.destroy();
  }

  #writeFirst(): void {
    const first = this.#waiting[0]!;
    this.#pipe.write(first.bytes, (error) => {
      // The pipe's error event handles errors.
      if (error || this.#waiting[0] !== first) return;
      this.#remove(first);
      first.resolve();
      if (this.#waiting.length > 0) this.#writeFirst();
      else if (this.#closed !== undefined) this.#pipe.end();
    });
  }

  #timedOut(waiting: Waiting): void {
    const begun = this.#waiting[0] === waiting;
    this.#remove(waiting);
    const seconds = this.#timeoutMs / 1000;
    waiting.reject(this.#error("timed_out", `${this.#program} did not read its standard input for ${seconds} s.`));
    // Part of a message may be in the pipe, so anything after it would be misread.
    if (begun)
      this.destroy(`The standard input of ${this.#program} was closed: a write took longer than ${seconds} s.`);
  }

  #remove(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    this.#bytes -= waiting.bytes.length;
    waiting.cancelDeadline();
  }

  #error(code: EnvErrorCode, message: string): EnvError {
    return new EnvError(code, message, { path: this.#program });
  }
}
