// Joins the pieces of a body, for code that cannot handle them separately.

import type { BodyPiece } from "../types/adapter.ts";

export function joinBody(pieces: readonly BodyPiece[]): string | Uint8Array<ArrayBuffer> {
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  const encoder = new TextEncoder();
  const parts = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece));
  const body = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
