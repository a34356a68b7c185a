// Random ids from the system's own source. The web crypto that node brings takes several milliseconds to load, which every
// start would pay before its first request.

import { closeSync, openSync, readSync } from "node:fs";

/** A session takes several; each part of it is used once. */
const POOL_BYTES = 16 * 16;
let pool: Buffer = Buffer.alloc(0);

export function systemUuid(): string {
  if (pool.length === 0) pool = randomBytes();
  const bytes = pool.subarray(0, 16);
  pool = pool.subarray(16);
  if (bytes.length === 0) return globalThis.crypto.randomUUID();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Empty where there is no such file. */
function randomBytes(): Buffer {
  let source: number;
  try {
    source = openSync("/dev/urandom", "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(POOL_BYTES);
    return readSync(source, bytes, 0, POOL_BYTES, null) === POOL_BYTES ? bytes : Buffer.alloc(0);
  } finally {
    closeSync(source);
  }
}
