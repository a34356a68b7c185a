// Random ids from the system's own source. Node's web crypto takes several milliseconds to load, which every start
// would pay before its first request.

import { closeSync, openSync, readSync } from "node:fs";

const UUID_BYTES = 16;
/** A session takes several ids; each byte of the pool is used once. */
const POOL_BYTES = 16 * UUID_BYTES;
let pool = new Uint8Array(0);
let used = 0;

export function systemUuid(): string {
  if (used === pool.length) {
    pool = randomBytes();
    used = 0;
  }
  if (pool.length === 0) return globalThis.crypto.randomUUID();
  let text = "";
  for (let at = 0; at < UUID_BYTES; at++) {
    let byte = pool[used++] ?? 0;
    if (at === 6) byte = (byte & 0x0f) | 0x40;
    if (at === 8) byte = (byte & 0x3f) | 0x80;
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
    text += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16);
  }
  return text;
}

/** Empty if the system has no such file. */
function randomBytes(): Uint8Array<ArrayBuffer> {
  let source: number;
  try {
    source = openSync("/dev/urandom", "r");
  } catch {
    return new Uint8Array(0);
  }
  try {
    const bytes = new Uint8Array(POOL_BYTES);
    return readSync(source, bytes, 0, POOL_BYTES, null) === POOL_BYTES ? bytes : new Uint8Array(0);
  } finally {
    closeSync(source);
  }
}
