// Reads a history image as a program can: decodes the PNG and finds for each cell the letter that looks most like it.

import { crc32, inflateSync } from "node:zlib";
import { type CellStyle, cellsOf } from "../../src/context/compaction/snapcompact/cells.ts";
import { CHARACTERS } from "../../src/context/compaction/snapcompact/font.ts";

export interface Picture {
  readonly side: number;
  /** Each pixel, row by row, as a palette index. */
  readonly pixels: Uint8Array;
  /** Red, green and blue. */
  readonly palette: readonly (readonly number[])[];
}

export function decodePng(bytes: Uint8Array): Picture {
  const png = Buffer.from(bytes);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== png.readUInt32BE(at + 8 + length)) throw new Error("wrong checksum");
    chunks.set(body.toString("latin1", 0, 4), body.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get("IHDR")!;
  const [side, height, bits] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8]!];
  if (side !== height) throw new Error("not a square");
  const palette = chunks.get("PLTE")!;
  const rows = inflateSync(chunks.get("IDAT")!);
  const length = 1 + Math.ceil((side * bits) / 8);
  const pixels = new Uint8Array(side * side);
  for (let at = 0; at < pixels.length; at++) {
    const bit = (at % side) * bits;
    const byte = rows[Math.floor(at / side) * length + 1 + (bit >> 3)]!;
    pixels[at] = (byte >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
  }
  return {
    side,
    pixels,
    palette: Array.from({ length: palette.length / 3 }, (_, place) => [...palette.subarray(3 * place, 3 * place + 3)]),
  };
}

export interface ReadLetter {
  readonly character: string;
  /** The ink of its darkest pixel; absent for white space. */
  readonly colour?: string;
}

/** By shape alone, ignoring the ink. */
export function readFrame(bytes: Uint8Array, style: CellStyle): ReadLetter[] {
  const { side, pixels, palette } = decodePng(bytes);
  const cells = cellsOf(style);
  const shapes = cells.coverage.map((coverage) => normal([...coverage]));
  const columns = side / cells.side;
  const known = new Map<string, ReadLetter>();
  const cell = Buffer.alloc(cells.side ** 2);
  return Array.from({ length: columns ** 2 }, (_, at) => {
    const corner = Math.floor(at / columns) * cells.side * side + (at % columns) * cells.side;
    for (let y = 0; y < cells.side; y++)
      cell.set(pixels.subarray(corner + y * side, corner + y * side + cells.side), y * cells.side);
    const key = cell.toString("latin1");
    const letter = known.get(key) ?? readCell(cell, palette, shapes);
    known.set(key, letter);
    return letter;
  });
}

function readCell(cell: Uint8Array, palette: Picture["palette"], shapes: readonly (readonly number[])[]): ReadLetter {
  const colours = Array.from(cell, (place) => palette[place]!);
  const darkness = colours.map(([red, green, blue]) => 255 * 3 - red! - green! - blue!);
  const darkest = Math.max(...darkness);
  const character = CHARACTERS[mostAlike(normal(darkness), shapes)]!;
  return darkest === 0 ? { character } : { character, colour: colours[darkness.indexOf(darkest)]!.join() };
}

export const readText = (bytes: Uint8Array, style: CellStyle): string =>
  readFrame(bytes, style)
    .map(({ character }) => character)
    .join("");

function normal(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((value) => value / length);
}

function mostAlike(vector: readonly number[], shapes: readonly (readonly number[])[]): number {
  const distances = shapes.map((shape) => shape.reduce((sum, value, at) => sum + (value - vector[at]!) ** 2, 0));
  return distances.indexOf(Math.min(...distances));
}
