// A glyph as the pixels of a square cell: how much ink covers each.

import { GLYPH_COLUMNS, GLYPH_ROWS, type Glyph, readGlyphs } from "./font.ts";

/** `plain`: 8 x 8, crisp. `stretched`: 6 x 6, squeezed vertically, with shades between. */
export type CellStyle = "plain" | "stretched";

export interface Cells {
  /** Pixels on each side. */
  readonly side: number;
  /** The value of a pixel that is all ink. */
  readonly full: number;
  /** The pixels of each character, in the order of `CHARACTERS`, row by row; values from 0 to `full`. */
  readonly coverage: readonly Uint8Array[];
}

export const SIDES: Readonly<Record<CellStyle, number>> = { plain: 8, stretched: 6 };

/** For each column of a plain cell, the glyph's column that it shows. The remaining columns separate the letters. */
const WIDENED = [0, 1, 1, 2, 3, 3, 4];

/** Eight rows become six, so each new row covers four thirds of an old one. */
const PARTS_OF_OLD = 3;
const PARTS_OF_NEW = 4;

export function cellsOf(style: CellStyle): Cells {
  const side = SIDES[style];
  const draw = style === "plain" ? plain : stretchGlyph;
  return { side, full: style === "plain" ? 1 : PARTS_OF_NEW, coverage: readGlyphs().map((glyph) => draw(glyph, side)) };
}

function plain(glyph: Glyph, side: number): Uint8Array {
  const pixels = new Uint8Array(side * side);
  for (const [y, row] of glyph.entries()) {
    for (const [x, column] of WIDENED.entries()) if (row[column]) pixels[y * side + x] = 1;
  }
  return pixels;
}

function stretchGlyph(glyph: Glyph, side: number): Uint8Array {
  const pixels = new Uint8Array(side * side);
  for (let part = 0; part < GLYPH_ROWS * PARTS_OF_OLD; part++) {
    const row = glyph[Math.floor(part / PARTS_OF_OLD)]!;
    const y = Math.floor(part / PARTS_OF_NEW);
    for (let x = 0; x < GLYPH_COLUMNS; x++) if (row[x]) pixels[y * side + x]! += 1;
  }
  return pixels;
}
