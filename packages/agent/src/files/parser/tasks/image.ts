// Shrinks a picture so that it can be sent to a model.

import { missingPackage } from "../../../base/optional-package.ts";
import { CannotParse, type TaskInput } from "./types.ts";

export interface FitInput extends TaskInput {
  readonly bytes: Uint8Array;
  readonly mostSide: number;
  readonly mostBytes: number;
  /** A picture of at most this many bytes stays as it is, if its sides fit as well. */
  readonly keepBytes: number;
}

export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  /** Size of the original picture. */
  readonly before: { readonly width: number; readonly height: number };
}

const QUALITIES = [75, 70, 60, 50, 40];
const SCALES = [1, 0.75, 0.5, 0.35, 0.25];
const LEAST_SIDE = 100;
/** Each decoded pixel takes at least four bytes. */
const MOST_PIXELS = 100_000_000;

/** Undefined if it fits as it is. */
export async function fitImage(input: TaskInput): Promise<FittedImage | undefined> {
  const { bytes, mostSide, mostBytes, keepBytes } = input as FitInput;
  const sharp = await sharpPackage();
  // One picture at a time, to stay within this process's memory.
  sharp.concurrency(1);
  sharp.cache(false);
  const open = () => sharp(bytes, { limitInputPixels: MOST_PIXELS, sequentialRead: true });
  try {
    const { width = 0, height = 0, autoOrient } = await open().metadata();
    const before = { width: autoOrient?.width ?? width, height: autoOrient?.height ?? height };
    const longest = Math.max(before.width, before.height);
    if (longest <= mostSide && bytes.length <= keepBytes) return undefined;
    const base = Math.min(1, mostSide / longest);
    let smallest: FittedImage | undefined;
    for (const scale of SCALES) {
      const size = { width: sideOf(before.width, base * scale), height: sideOf(before.height, base * scale) };
      if (scale < 1 && Math.min(size.width, size.height) < LEAST_SIDE) break;
      // Decoded once per size, because the maker of the picture controls how much decoding costs.
      const { data, info } = await open()
        .autoOrient()
        .resize({ ...size, fit: "fill" })
        .flatten({ background: "#ffffff" })
        .raw()
        .toBuffer({ resolveWithObject: true });
      for (const quality of QUALITIES) {
        const { width: w, height: h, channels } = info;
        const made = await sharp(data, { raw: { width: w, height: h, channels } })
          .jpeg({ quality })
          .toBuffer();
        if (!smallest || made.length < smallest.bytes.length)
          smallest = { bytes: made, mediaType: "image/jpeg", ...size, before };
        if (made.length <= mostBytes) return smallest;
      }
    }
    return smallest;
  } catch (error) {
    throw new CannotParse(whyNot(error));
  }
}

const sideOf = (side: number, scale: number): number => Math.max(1, Math.round(side * scale));

function whyNot(error: unknown): string {
  // As in serve.ts: this process does not load the model client.
  const message = error instanceof Error ? error.message : String(error);
  if (/pixel limit/i.test(message)) return `the picture has more than ${MOST_PIXELS / 1e6} million pixels`;
  return `the picture is damaged (${message.split("\n")[0]})`;
}

async function sharpPackage(): Promise<typeof import("sharp")["default"]> {
  try {
    return (await import("sharp")).default;
  } catch {
    throw new CannotParse(missingPackage("pictures that have to be made smaller", "sharp"));
  }
}
