// Scales pixels down: each new pixel is the mean of those it replaces.

import type { Pixels } from "./sixel.ts";

export function shrunk(pixels: Pixels, width: number, height: number): Pixels {
  if (width >= pixels.width && height >= pixels.height) return pixels;
  const rgba = new Uint8Array(width * height * 4);
  const edges = (count: number, all: number): number[] =>
    Array.from({ length: count + 1 }, (_, index) => Math.floor((index * all) / count));
  const columns = edges(width, pixels.width);
  const rows = edges(height, pixels.height);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 4) {
      mean(
        pixels,
        [columns[x] as number, columns[x + 1] as number],
        [rows[y] as number, rows[y + 1] as number],
        rgba,
        to,
      );
    }
  }
  return { width, height, rgba };
}

type Range = readonly [from: number, to: number];

/** Transparent pixels have no colour, so they do not count in the mean. */
function mean({ width, rgba }: Pixels, [left, right]: Range, [top, bottom]: Range, into: Uint8Array, to: number): void {
  let red = 0;
  let green = 0;
  let blue = 0;
  let opacity = 0;
  let count = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      const weight = rgba[at + 3] as number;
      red += (rgba[at] as number) * weight;
      green += (rgba[at + 1] as number) * weight;
      blue += (rgba[at + 2] as number) * weight;
      opacity += weight;
      count++;
    }
  }
  if (opacity === 0) return;
  into[to] = red / opacity;
  into[to + 1] = green / opacity;
  into[to + 2] = blue / opacity;
  into[to + 3] = opacity / count;
}
