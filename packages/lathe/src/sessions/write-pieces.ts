// Writes a long text piece by piece, producing it only as fast as the reader takes it.

import { once } from "node:events";
import type { Writable } from "node:stream";

/** Small pieces are joined, because each write is a system call. */
const CHUNK = 64 << 10;

export async function writePieces(stream: Writable, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const chunks = Symbol.asyncIterator in pieces ? pieces : inChunks(pieces);
  for await (const chunk of chunks) if (!stream.write(chunk)) await once(stream, "drain");
}

/** The same text in fewer pieces. */
export function* inChunks(pieces: Iterable<string>): Generator<string, void, undefined> {
  let held = "";
  for (const piece of pieces) {
    held += piece;
    if (held.length < CHUNK) continue;
    yield held;
    held = "";
  }
  if (held !== "") yield held;
}
