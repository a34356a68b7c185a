// A text file as the edit core sees it, and the conversion back to the same bytes: encoding, byte order mark and
// endings survive an edit.

import { isAscii, isUtf8 } from "node:buffer";
import { applyEdits, type Endings, endingsAfter, joinEndings, splitEndings, type TextEdit } from "./endings.ts";
import { decodeStray, encodeStray } from "./stray-bytes.ts";

declare global {
  // ECMAScript 2024, present since Node 20.
  interface String {
    isWellFormed(): boolean;
  }
}

/** How the characters of a file are encoded; `utf-8-stray` contains bytes that are not valid UTF-8. */
export type Encoding = "utf-8" | "utf-8-stray" | "utf-16le" | "utf-16be" | "latin-1";

/** A text file, with encoding, byte order mark and line endings stored separately so that edits do not touch them. */
export interface TextDocument {
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** Every line ends in "\n"; no byte order mark. */
  readonly text: string;
  readonly endings: Endings;
}

/** Why bytes cannot be edited as text, or text cannot be stored; `message` is a sentence without the path. */
export class DocumentError extends Error {}

const BINARY_PROBE = 8192;

/** The text of a file in any encoding, with "\n" line endings; throws DocumentError for binary files. */
export function documentText(bytes: Uint8Array): string {
  return decodeDocument(bytes).text;
}

/** The text of a file and how it is stored; throws DocumentError for binary files. */
export function decodeDocument(bytes: Uint8Array): TextDocument {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bom = bomOf(buffer);
  if (bom === "utf-16le" && buffer.length >= 4 && buffer.readUInt16LE(2) === 0) {
    throw new DocumentError("is UTF-32 text; convert it to UTF-8 with a program run in the shell");
  }
  if (bom === "utf-16le" || bom === "utf-16be") {
    if (buffer.length % 2 !== 0) throw new DocumentError("is marked as UTF-16 but has an odd number of bytes");
    const body = buffer.subarray(2);
    return build(bom, true, (bom === "utf-16le" ? body : Buffer.from(body).swap16()).toString("utf16le"));
  }
  if (buffer.subarray(0, BINARY_PROBE).includes(0)) {
    throw new DocumentError("is a binary file (it has NUL bytes); change it with a program run in the shell");
  }
  const body = bom === "utf-8" ? buffer.subarray(3) : buffer;
  if (isAscii(body)) return build("utf-8", bom !== undefined, body.toString("latin1"));
  if (isUtf8(body)) return build("utf-8", bom !== undefined, body.toString("utf8"));
  const binary = hasControls(body);
  const stray = binary ? undefined : decodeStray(body);
  if (stray !== undefined) return build("utf-8-stray", bom !== undefined, stray);
  if (bom === "utf-8" || binary) {
    throw new DocumentError("is neither UTF-8, UTF-16 nor Latin-1 text; change it with a program run in the shell");
  }
  return build("latin-1", false, body.toString("latin1"));
}

/** The bytes of a file; throws DocumentError if its encoding lacks a character. */
export function encodeDocument(document: TextDocument): Uint8Array {
  if (!document.text.isWellFormed() && document.encoding !== "utf-16le" && document.encoding !== "utf-16be") {
    throw new DocumentError("would get half of a surrogate pair, which UTF-8 cannot store; send the whole character");
  }
  const raw = joinEndings(document.text, document.endings);
  switch (document.encoding) {
    case "utf-8":
      return Buffer.from(document.bom ? `\uFEFF${raw}` : raw, "utf8");
    case "utf-8-stray":
      return encodeStray(document.bom ? `\uFEFF${raw}` : raw);
    case "utf-16le":
      return Buffer.from(`\uFEFF${raw}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\uFEFF${raw}`, "utf16le").swap16();
    case "latin-1": {
      const beyond = /[^\u0000-\u00ff]/u.exec(raw);
      if (beyond) {
        throw new DocumentError(
          `is Latin-1, which has no ${JSON.stringify(beyond[0])}; convert the file to UTF-8 first`,
        );
      }
      return Buffer.from(raw, "latin1");
    }
  }
}

export function newDocument(raw: string): TextDocument {
  const bom = raw.startsWith("\uFEFF");
  return build("utf-8", bom, bom ? raw.slice(1) : raw);
}

export function editDocument(document: TextDocument, edits: readonly TextEdit[]): TextDocument {
  return {
    ...document,
    text: applyEdits(document.text, edits),
    endings: endingsAfter(document.text, document.endings, edits),
  };
}

function build(encoding: Encoding, bom: boolean, raw: string): TextDocument {
  return { encoding, bom, ...splitEndings(raw) };
}

function bomOf(bytes: Buffer): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}

/** Control bytes that do not occur in Latin-1 text; tab, line feed, form feed and carriage return are text. */
function hasControls(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 0x09 || byte === 0x0b || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}
