// Messages between the session and its parser process: the length in four bytes, then the value. Values may contain
// bytes.

import { deserialize, serialize } from "node:v8";

const HEAD = 4;
/** Messages are written in pieces of this size; the other side reads each before the next is written. */
const PIECE = 1 << 20;

/** The encoded message: the length, then the value. */
export function frameOf(value: unknown): readonly Uint8Array[] {
  const body = serialize(value);
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(body.length);
  const pieces: Uint8Array[] = [head];
  for (let at = 0; at < body.length; at += PIECE) pieces.push(body.subarray(at, at + PIECE));
  return pieces;
}

/** A message that is longer than its reader accepts. */
export class FrameTooLong extends Error {}

/** Reassembles pieces. */
export class FrameReader {
  readonly #limit: number;
  readonly #head = Buffer.alloc(HEAD);
  #headBytes = 0;
  #body: Buffer | undefined;
  #bodyBytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the values that are complete with this piece. */
  push(piece: Uint8Array): unknown[] {
    const values: unknown[] = [];
    let at = 0;
    while (at < piece.length) {
      if (this.#body === undefined) {
        const taken = piece.subarray(at, at + HEAD - this.#headBytes);
        this.#head.set(taken, this.#headBytes);
        this.#headBytes += taken.length;
        at += taken.length;
        if (this.#headBytes < HEAD) break;
        this.#begin();
      }
      const body = this.#body!;
      const taken = piece.subarray(at, at + body.length - this.#bodyBytes);
      body.set(taken, this.#bodyBytes);
      this.#bodyBytes += taken.length;
      at += taken.length;
      if (this.#bodyBytes < body.length) break;
      this.#body = undefined;
      this.#headBytes = 0;
      values.push(deserialize(body));
    }
    return values;
  }

  #begin(): void {
    const length = this.#head.readUInt32BE();
    if (length > this.#limit) throw new FrameTooLong(`${length} bytes`);
    this.#body = Buffer.allocUnsafeSlow(length);
    this.#bodyBytes = 0;
  }
}
