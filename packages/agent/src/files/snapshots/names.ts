// File names as text, without loss. A name that is not valid UTF-8 keeps its invalid bytes as lone surrogates (U+DC80
// to U+DCFF), which JSON can hold and which no valid name contains.

import { isUtf8 } from "node:buffer";

declare global {
  // ECMAScript 2024, present since Node 20.
  interface String {
    isWellFormed(): boolean;
  }
}

const ODD_BYTES = /[\uDC80-\uDCFF]+/u;
/** Node's replacement for bytes that it cannot decode. */
const REPLACED = "\uFFFD";

export const mayHaveLostBytes = (name: string): boolean => name.includes(REPLACED);

export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
}

/** The form of the path for file system calls. */
export function fsPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  const parts: Buffer[] = [];
  for (const part of path.split(/([\uDC80-\uDCFF]+)/u)) {
    if (ODD_BYTES.test(part)) parts.push(Buffer.from(Array.from(part, (char) => char.charCodeAt(0) - 0xdc00)));
    else parts.push(Buffer.from(part, "utf8"));
  }
  return Buffer.concat(parts);
}

/** The path in displayable form. */
export const shownPath = (path: string): string => path.toWellFormed();
