// Random ids from the system's own source. The web crypto that node brings takes several milliseconds to load, which every
// start would pay before its first request.

import { closeSync, openSync, readSync } from "node:fs";

export function systemUuid(): string {
  const bytes = Buffer.allocUnsafe(16);
  if (!fill(bytes)) return globalThis.crypto.randomUUID();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** False where there is no such file. */
function fill(bytes: Buffer): boolean {
  let source: number;
  try {
    source = openSync("/dev/urandom", "r");
  } catch {
    return false;
  }
  try {
    return readSync(source, bytes, 0, bytes.length, null) === bytes.length;
  } finally {
    closeSync(source);
  }
}
