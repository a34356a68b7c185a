// Draws a page of letters.

import type { ImageData } from "@lathe/llm";
import { type Cells, cellsOf } from "./cells.ts";
import { encodePng, type Palette } from "./png.ts";
import { columnsOf, type FrameShape } from "./shapes.ts";
import { type Colour, INKS, PLAIN_INKS, type Typeset } from "./typeset.ts";

const WHITE = 255;

/** The pages of a text, one image each. A page that is not full becomes a smaller square. */
export class Frames {
  readonly #text: Typeset;
  readonly #shape: FrameShape;
  readonly #columns: number;

  constructor(text: Typeset, shape: FrameShape) {
    this.#text = text;
    this.#shape = shape;
    this.#columns = columnsOf(shape);
  }

  get count(): number {
    return Math.ceil(this.#text.letters.length / this.#columns ** 2);
  }

  /** Draws the pages with these numbers. */
  draw(pages: readonly number[]): ImageData[] {
    const cells = cellsOf(this.#shape.cell);
    const { detail, bySentence } = this.#shape;
    const palette = paletteOf(cells, bySentence ? INKS : INKS.slice(0, PLAIN_INKS));
    return pages.map((page) => ({
      data: this.#page(page, cells, palette),
      mediaType: "image/png",
      ...(detail === undefined ? {} : { detail }),
    }));
  }

  #page(page: number, cells: Cells, palette: Palette): Uint8Array {
    const capacity = this.#columns ** 2;
    const letters = this.#text.letters.subarray(page * capacity, (page + 1) * capacity);
    const inks = this.#text.inks.subarray(page * capacity, (page + 1) * capacity);
    const columns = Math.ceil(Math.sqrt(letters.length));
    const side = columns * cells.side;
    const pixels = new Uint8Array(side * side);
    for (let at = 0; at < letters.length; at++) {
      const corner = Math.floor(at / columns) * cells.side * side + (at % columns) * cells.side;
      const firstShade = inks[at]! * cells.full;
      const coverage = cells.coverage[letters[at]!]!;
      for (let place = 0; place < coverage.length; place++) {
        if (coverage[place] === 0) continue;
        const y = Math.floor(place / cells.side);
        pixels[corner + y * side + (place % cells.side)] = firstShade + coverage[place]!;
      }
    }
    return encodePng(pixels, side, palette);
  }
}

/** White, then the shades of every ink from the lightest to full. */
function paletteOf({ full }: Cells, inks: readonly Colour[]): Palette {
  const shades = inks.flatMap((ink) =>
    Array.from({ length: full }, (_, n) => {
      const [red, green, blue] = ink.map((part) => Math.round(WHITE + ((part - WHITE) * (n + 1)) / full));
      return [red!, green!, blue!] as const;
    }),
  );
  return [[WHITE, WHITE, WHITE], ...shades];
}
