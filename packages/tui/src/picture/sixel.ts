// Encodes pixels as sixel: bands of six pixel rows, one pass per colour. Colours come from a 6x6x6 cube, which every
// sixel terminal supports; a colour in between is dithered.

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

const STEPS = 6;
const BAND = 6;
const CLEAR = -1;

/** Dither thresholds for four by four pixels, evenly spread: the share of pixels that get the higher of two steps. */
const THRESHOLDS = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((rank) => (rank + 0.5) / 16);

export function sixelPicture({ width, height, rgba }: Pixels): string {
  const colour = (x: number, y: number): number => {
    const at = (y * width + x) * 4;
    if (y >= height || (rgba[at + 3] as number) < 128) return CLEAR;
    const threshold = THRESHOLDS[(y % 4) * 4 + (x % 4)] as number;
    const red = step(rgba[at] as number, threshold);
    const green = step(rgba[at + 1] as number, threshold);
    const blue = step(rgba[at + 2] as number, threshold);
    return (red * STEPS + green) * STEPS + blue;
  };
  const used = new Set<number>();
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) {
    const passes = new Map<number, Uint8Array>();
    for (let x = 0; x < width; x++) {
      for (let line = 0; line < BAND; line++) {
        const index = colour(x, top + line);
        if (index === CLEAR) continue;
        let pass = passes.get(index);
        if (pass === undefined) {
          pass = new Uint8Array(width);
          passes.set(index, pass);
        }
        pass[x] = (pass[x] as number) | (1 << line);
      }
    }
    for (const index of passes.keys()) used.add(index);
    bands.push([...passes].map(([index, pass]) => `#${index}${packColumns(pass)}`).join("$"));
  }
  const palette = [...used].map((index) => `#${index};2;${percent(index).join(";")}`).join("");
  return `\x1bP0;1q"1;1;${width};${height}${palette}${bands.join("-")}\x1b\\`;
}

const step = (value: number, threshold: number): number => Math.floor((value * (STEPS - 1)) / 255 + threshold);

const percent = (index: number): readonly number[] =>
  [Math.floor(index / (STEPS * STEPS)), Math.floor(index / STEPS) % STEPS, index % STEPS].map(
    (step) => step * (100 / (STEPS - 1)),
  );

/** Runs of equal columns are counted; empty ones at the end are omitted. */
function packColumns(columns: Uint8Array): string {
  let end = columns.length;
  while (end > 0 && columns[end - 1] === 0) end--;
  let text = "";
  for (let at = 0; at < end; ) {
    let next = at;
    while (next < end && columns[next] === columns[at]) next++;
    const sign = String.fromCharCode(63 + (columns[at] ?? 0));
    text += next - at > 3 ? `!${next - at}${sign}` : sign.repeat(next - at);
    at = next;
  }
  return text;
}
