// Output of a command in bounded memory: keeps the beginning and the end, and counts what lies between. Copies bytes,
// so that the large buffers they arrive in can be freed at once.

import type { OutputSpill } from "./types.ts";

export class BoundedOutput {
  readonly #half: number;
  /** Grows to half of the limit: a program that prints byte by byte must not keep a buffer for each. */
  #head: Buffer = Buffer.alloc(0);
  #headBytes = 0;
  /** Created when the first byte does not fit the head; then a ring buffer. */
  #ring: Buffer | undefined;
  #pastHead = 0;

  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  get capacity(): number {
    return 2 * this.#half;
  }

  /** All bytes ever pushed. */
  get bytes(): number {
    return this.#headBytes + this.#pastHead;
  }

  get truncated(): boolean {
    return this.#pastHead > this.#half;
  }

  push(chunk: Buffer): void {
    const toHead = Math.min(this.#half - this.#headBytes, chunk.length);
    const needed = this.#headBytes + toHead;
    if (needed > this.#head.length) {
      this.#head = Buffer.concat([this.#head], Math.min(this.#half, Math.max(needed, 2 * this.#head.length)));
    }
    chunk.copy(this.#head, this.#headBytes, 0, toHead);
    this.#headBytes = needed;
    if (toHead === chunk.length) return;
    this.#ring ??= Buffer.allocUnsafe(this.#half);
    const rest = chunk.subarray(toHead);
    // Only the last full ring of bytes can be kept.
    const kept = rest.subarray(Math.max(0, rest.length - this.#half));
    const at = (this.#pastHead + rest.length - kept.length) % this.#half;
    const first = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, first);
    this.#pastHead += rest.length;
  }

  /** The bytes still held, oldest first; all of them while `truncated` is false. */
  *chunks(): Iterable<Buffer> {
    yield this.#head.subarray(0, this.#headBytes);
    yield* this.#tail();
  }

  text(): string {
    if (!this.truncated) return Buffer.concat([...this.chunks()]).toString("utf8");
    const head = this.#head;
    const tail = Buffer.concat(this.#tail());
    const headEnd = completeUtf8Length(head);
    const tailStart = firstCharacterStart(tail);
    const omitted = this.bytes - headEnd - (tail.length - tailStart);
    return `${head.toString("utf8", 0, headEnd)}\n[... ${omitted} bytes omitted ...]\n${tail.toString("utf8", tailStart)}`;
  }

  #tail(): Buffer[] {
    if (this.#ring === undefined) return [];
    if (!this.truncated) return [this.#ring.subarray(0, this.#pastHead)];
    const at = this.#pastHead % this.#half;
    return [this.#ring.subarray(at), this.#ring.subarray(0, at)];
  }
}

/** Sends everything to `spill` from the moment `kept` is about to lose bytes. */
export class Spilling {
  readonly #kept: BoundedOutput;
  readonly #spill: OutputSpill | undefined;
  #spilling = false;

  constructor(limit: number, spill: OutputSpill | undefined) {
    this.#kept = new BoundedOutput(limit);
    this.#spill = spill;
  }

  get kept(): BoundedOutput {
    return this.#kept;
  }

  push(chunk: Buffer): void {
    if (this.#spill !== undefined) {
      if (!this.#spilling && this.#kept.bytes + chunk.length > this.#kept.capacity) {
        this.#spilling = true;
        for (const earlier of this.#kept.chunks()) this.#spill.write(earlier);
      }
      if (this.#spilling) this.#spill.write(chunk);
    }
    this.#kept.push(chunk);
  }
}

/** Splits a byte stream only between characters, so that chunks of two streams can be interleaved and shown at once. */
export class WholeCharacters {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = completeUtf8Length(bytes);
    this.#rest = bytes.subarray(end);
    return bytes.subarray(0, end);
  }

  flush(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest;
  }
}

/** Length of `bytes` without an incomplete character at the end. Invalid bytes count as complete. */
function completeUtf8Length(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export function firstCharacterStart(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return start;
}
