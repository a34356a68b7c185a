// A long text, written piece by piece: no more of it is made than its reader takes.

import { once } from "node:events";
import type { Writable } from "node:stream";

/** Small pieces go together, since each write is a call to the system. */
const CHUNK = 64 << 10;

export async function writePieces(stream: Writable, pieces: Iterable<string>): Promise<void> {
  let held = "";
  for (const piece of pieces) {
    held += piece;
    if (held.length < CHUNK) continue;
    if (!stream.write(held)) await once(stream, "drain");
    held = "";
  }
  if (held !== "" && !stream.write(held)) await once(stream, "drain");
}
