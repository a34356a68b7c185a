// Writes images whose pixels are palette indices.

import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOUR_TYPE_PALETTE = 3;
/** A higher level takes ten times as long and saves only a tenth. */
const COMPRESSION = 6;

export type Palette = readonly (readonly [red: number, green: number, blue: number])[];

/** A square of at most 16 colours; `pixels` row by row. The same input gives the same bytes. */
export function encodePng(pixels: Uint8Array, side: number, palette: Palette): Uint8Array {
  const bits = palette.length <= 4 ? 2 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = bits;
  header[9] = COLOUR_TYPE_PALETTE;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(packPixels(pixels, side, bits), { level: COMPRESSION })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * Packs several pixels into a byte, the first in its high bits. Each row begins with the number of its filter: none.
 */
function packPixels(pixels: Uint8Array, side: number, bits: number): Uint8Array {
  const length = 1 + Math.ceil((side * bits) / 8);
  const rows = new Uint8Array(length * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const bit = x * bits;
      rows[y * length + 1 + (bit >> 3)]! |= pixels[y * side + x]! << (8 - bits - (bit & 7));
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
