// CRC-32 of a line. The system's implementation is the fastest on large files, but loading it costs a start-up more than
// the few short lines that come before the first request, so those are summed here.

const SHORT_BYTES = 16 << 10;

/** For half a byte: quick to make, and the lines that are summed with it are short. */
const TABLE = Int32Array.from({ length: 16 }, (_, half) => {
  let value = half;
  for (let bit = 0; bit < 4; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

let zlibCrc32: ((bytes: Uint8Array) => number) | undefined;

export function crc32(bytes: Uint8Array): number {
  if (!zlibCrc32 && bytes.length > SHORT_BYTES) useSystemChecksum();
  if (zlibCrc32) return zlibCrc32(bytes);
  let sum = -1;
  for (let at = 0; at < bytes.length; at++) {
    sum ^= bytes[at]!;
    sum = (sum >>> 4) ^ TABLE[sum & 15]!;
    sum = (sum >>> 4) ^ TABLE[sum & 15]!;
  }
  return ~sum >>> 0;
}

/** Called before many lines are read. A memo of a builtin module, not state: it only ever changes how fast a sum is. */
export function useSystemChecksum(): void {
  zlibCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
}
