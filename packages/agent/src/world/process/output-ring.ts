// The last bytes of a background command's output, addressed by their offset in the whole output, for readers that
// return.

import { firstCharacterStart } from "./bounded-output.ts";

/** Keeps the last bytes of everything pushed. */
export class OutputRing {
  readonly #limit: number;
  /** Grows to the limit; from then on a ring buffer. */
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const needed = Math.min(this.#limit, this.#end + chunk.length);
    if (needed > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.min(this.#limit, Math.max(needed, 2 * this.#bytes.length)));
    }
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#limit));
    const first = kept.copy(this.#bytes, (this.#end + chunk.length - kept.length) % this.#limit);
    kept.copy(this.#bytes, 0, first);
    this.#end += chunk.length;
  }

  read(from = 0): { text: string; next: number; missed: number } {
    const start = Math.max(from, this.#end - this.#limit);
    const at = start % this.#limit;
    const tail = this.#bytes.subarray(at, at + this.#end - start);
    const bytes = Buffer.concat([tail, this.#bytes.subarray(0, this.#end - start - tail.length)]);
    const whole = start > from ? firstCharacterStart(bytes) : 0;
    return { text: bytes.toString("utf8", whole), next: this.#end, missed: start + whole - from };
  }
}
