// Terminal colours: the palette of 256, of which 16 to 255 are the same everywhere, and 24-bit colours.

export type Rgb = readonly [red: number, green: number, blue: number];

const HEX = /^#[0-9a-f]{6}$/i;
const LEVELS = [0, 95, 135, 175, 215, 255];

export const isHex = (value: string): boolean => HEX.test(value);

export function rgbOf(hex: string): Rgb {
  const bits = Number.parseInt(hex.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 255, bits & 255];
}

export const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** The nearest colour of the palette's cube and greys. The first 16 are left out, since users change them. */
export function nearestIndex(rgb: Rgb): number {
  const steps = rgb.map(nearestLevel);
  const cube = steps.map((step) => LEVELS[step] ?? 0) as unknown as Rgb;
  const grey = Math.max(0, Math.min(23, Math.round((average(rgb) - 8) / 10)));
  const shade = 8 + grey * 10;
  if (distance(rgb, [shade, shade, shade]) < distance(rgb, cube)) return 232 + grey;
  return 16 + (steps[0] ?? 0) * 36 + (steps[1] ?? 0) * 6 + (steps[2] ?? 0);
}

/** The palette index of exactly this colour, which takes fewer bytes than the colour itself. */
export function exactIndex(rgb: Rgb): number | undefined {
  const index = nearestIndex(rgb);
  return distance(rgb, paletteRgb(index)) === 0 ? index : undefined;
}

/** The colour of an index from 16 to 255. */
function paletteRgb(index: number): Rgb {
  if (index >= 232) {
    const shade = 8 + (index - 232) * 10;
    return [shade, shade, shade];
  }
  const cube = index - 16;
  return [LEVELS[Math.floor(cube / 36)] ?? 0, LEVELS[Math.floor(cube / 6) % 6] ?? 0, LEVELS[cube % 6] ?? 0];
}

/** The perceived brightness of a colour, 0 to 1. */
export const luminance = ([red, green, blue]: Rgb): number => (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;

const average = ([red, green, blue]: Rgb): number => (red + green + blue) / 3;

const distance = (a: Rgb, b: Rgb): number => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

function nearestLevel(value: number): number {
  let best = 0;
  for (const [step, level] of LEVELS.entries()) {
    if (Math.abs(level - value) < Math.abs((LEVELS[best] ?? 0) - value)) best = step;
  }
  return best;
}
