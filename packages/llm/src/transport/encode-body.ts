import type { BodyPiece } from "../types/adapter.ts";

/** Consecutive texts become one piece; bytes stay as they are. */
export function encodeBody(pieces: readonly BodyPiece[]): Uint8Array[] {
  const body: Uint8Array[] = [];
  let texts: string[] = [];
  const encode = () => {
    if (texts.length > 0) body.push(encodeTexts(texts));
    texts = [];
  };
  for (const piece of pieces) {
    if (typeof piece === "string") texts.push(piece);
    else {
      encode();
      body.push(piece);
    }
  }
  encode();
  return body;
}

/** The length in bytes. */
function lengthOf(pieces: readonly BodyPiece[]): number {
  let length = 0;
  for (const piece of pieces) length += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return length;
}

/** Up to this length, joining the texts is faster than encoding each of them. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Writes each text directly to its position, because joining them first would copy everything once more. Encoded JSON
 * has no lone surrogates.
 */
function encodeTexts(texts: readonly string[]): Buffer {
  if (texts.reduce((sum, text) => sum + text.length, 0) <= SHORT_LENGTH) return Buffer.from(texts.join(""));
  const bytes = Buffer.allocUnsafeSlow(lengthOf(texts));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
}
