import type { BodyPiece } from "../types/adapter.ts";

/** Texts that follow each other become one piece; bytes stay as they are. */
export function encodeBody(pieces: readonly BodyPiece[]): Uint8Array[] {
  const body: Uint8Array[] = [];
  let text = "";
  const encode = () => {
    if (text !== "") body.push(Buffer.from(text));
    text = "";
  };
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else {
      encode();
      body.push(piece);
    }
  }
  encode();
  return body;
}
