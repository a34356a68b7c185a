// What does not belong in a line is moved to blobs when writing and restored when reading: bytes, and strings over 64
// KiB. The line holds a string starting with `blob:` instead; a real string that starts this way is marked as literal.

import type { BlobStore } from "../../base/blobs/store.ts";
import { beside } from "./errors.ts";

const LONG_STRING = 64 * 1024;
/** Base64 of 1,024 characters: for less, a blob file costs more than it saves. */
const SMALL_BYTES = 768;
const DATA_URL_STRING = 1024;
const MARK = "blob:";
const BYTES = "blob:sha256:";
const TEXT = "blob:text:sha256:";
const INLINE = "blob:base64:";
const LITERAL = "blob:literal:";

/** The value as stored in a line; the same object if nothing had to change. */
export function toStored(value: unknown, blobs: BlobStore): unknown {
  if (typeof value === "string") return storedString(value, blobs);
  if (value instanceof Uint8Array) return storedBytes(value, blobs);
  if (value instanceof BlobRef) return BYTES + value.hash;
  return mapObject(value, (inner) => toStored(inner, blobs));
}

function storedString(value: string, blobs: BlobStore): string {
  if (value.length > LONG_STRING || (value.length >= DATA_URL_STRING && value.startsWith("data:image/"))) {
    return TEXT + beside(() => blobs.put(Buffer.from(value, "utf8")));
  }
  return value.startsWith(MARK) ? LITERAL + value : value;
}

function storedBytes(bytes: Uint8Array, blobs: BlobStore): string {
  if (bytes.length >= SMALL_BYTES) return BYTES + beside(() => blobs.put(bytes));
  return INLINE + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** A reference to a blob that is not loaded: in place of bytes in an imported value, or if the blob is missing. */
export class BlobRef {
  readonly hash: string;
  constructor(hash: string) {
    this.hash = hash;
  }
}

/** The reverse of `toStored`. */
export function fromStored(value: unknown, blobs: BlobStore, missing: (hash: string) => void): unknown {
  if (typeof value === "string") return value.startsWith(MARK) ? restoreValue(value, blobs, missing) : value;
  return mapObject(value, (inner) => fromStored(inner, blobs, missing));
}

function restoreValue(value: string, blobs: BlobStore, missing: (hash: string) => void): unknown {
  if (value.startsWith(LITERAL)) return value.slice(LITERAL.length);
  if (value.startsWith(INLINE)) return new Uint8Array(Buffer.from(value.slice(INLINE.length), "base64"));
  const isText = value.startsWith(TEXT);
  if (!isText && !value.startsWith(BYTES)) return value;
  const hash = value.slice(isText ? TEXT.length : BYTES.length);
  const bytes = blobs.get(hash);
  if (bytes) return isText ? Buffer.from(bytes).toString("utf8") : bytes;
  missing(hash);
  return isText ? `[lost: the stored text ${hash.slice(0, 12)} is missing]` : new BlobRef(hash);
}

const BLOB_MARK = Buffer.from('"blob:');

/** Whether a line may contain anything that `fromStored` would change. */
export function mentionsBlob(line: Buffer): boolean {
  return line.includes(BLOB_MARK);
}

function mapObject(value: unknown, map: (inner: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map(map);
    return mapped.every((inner, index) => inner === value[index]) ? value : mapped;
  }
  const record = value as Record<string, unknown>;
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const mapped = map(record[key]);
    if (mapped === record[key]) continue;
    changed ??= { ...record };
    // Defined rather than assigned, so that a key `__proto__` written by a model stays an ordinary key.
    Object.defineProperty(changed, key, { value: mapped, enumerable: true, writable: true, configurable: true });
  }
  return changed ?? value;
}
