// Pixels as sixel: rows of six pixels, one pass per colour. Colours are rounded to the 216 of a 6x6x6 cube, which every such terminal can hold.

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

const STEPS = 6;
const BAND = 6;
const CLEAR = -1;

export function sixelPicture({ width, height, rgba }: Pixels): string {
  const colour = (x: number, y: number): number => {
    const at = (y * width + x) * 4;
    if (y >= height || (rgba[at + 3] ?? 0) < 128) return CLEAR;
    const [red, green, blue] = [0, 1, 2].map((part) => Math.round(((rgba[at + part] ?? 0) / 255) * (STEPS - 1))) as [
      number,
      number,
      number,
    ];
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
        const pass = passes.get(index) ?? new Uint8Array(width);
        passes.set(index, pass);
        pass[x] = (pass[x] ?? 0) | (1 << line);
      }
    }
    for (const index of passes.keys()) used.add(index);
    bands.push([...passes].map(([index, pass]) => `#${index}${packed(pass)}`).join("$"));
  }
  const palette = [...used].map((index) => `#${index};2;${percent(index).join(";")}`).join("");
  return `\x1bP0;1q"1;1;${width};${height}${palette}${bands.join("-")}\x1b\\`;
}

const percent = (index: number): readonly number[] =>
  [Math.floor(index / (STEPS * STEPS)), Math.floor(index / STEPS) % STEPS, index % STEPS].map(
    (step) => step * (100 / (STEPS - 1)),
  );

/** Equal columns are counted instead of repeated; empty ones at the end are left out. */
function packed(columns: Uint8Array): string {
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
