// CRC-32 of a line. The system's implementation is the fastest on large files, but loading it costs a start-up more than
// the few short lines that come before the first request, so those are summed here.

const SHORT_BYTES = 16 << 10;

/**
 * For half a byte at a time. Written out, and short: the few lines that are summed with it do not pay for making it. With
 * a sign, since numbers over 31 bits are allocated each time they are read.
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

/** Called before many lines are read. A memo of a builtin module, not state: it only ever changes how fast a sum is. */
export function useSystemChecksum(): void {
  zlibCrc32 ??= process.getBuiltinModule("node:zlib").crc32;
}
