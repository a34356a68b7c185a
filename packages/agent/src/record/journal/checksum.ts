// CRC-32 of a line. The system's implementation is the fastest for large files, but loading it takes longer than
// summing the few short lines before the first request, so we sum those here.

const SHORT_BYTES = 16 << 10;

/**
 * Processes half a byte at a time. The table is a literal and short, because computing it would not pay off for the few
 * lines summed with it. Values are signed, because numbers over 31 bits are allocated on each read.
 */
const TABLE: readonly number[] = [
  0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, -0x12477ce0,
  -0x0ff06cbc, -0x29295c18, -0x349e4c74, -0x649b3d50, -0x792c2d2c, -0x5ff51d88, -0x42420de4,
];

let zlibCrc32: ((bytes: Uint8Array) => number) | undefined;

/** The checksum of the bytes before `end`. */
export function crc32(bytes: Uint8Array, end: number): number {
  if (!zlibCrc32 && end > SHORT_BYTES) useSystemChecksum();
  if (zlibCrc32) return zlibCrc32(bytes.subarray(0, end));
  let sum = -1;
  for (let at = 0; at < end; at++) {
    sum ^= bytes[at]!;
    sum = (sum >>> 4) ^ TABLE[sum & 15]!;
    sum = (sum >>> 4) ^ TABLE[sum & 15]!;
  }
  return ~sum >>> 0;
}

/**
 * Call this before reading many lines. It memoizes a builtin module rather than state: it only affects how fast a sum
 * is.
 */
export function useSystemChecksum(): void {
  zlibCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
}
