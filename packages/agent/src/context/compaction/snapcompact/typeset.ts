// The history as a single row of letters, each with its ink.

import type { Piece } from "../serialize.ts";
import { CHARACTERS } from "./font.ts";
import { printable } from "./printable.ts";

/** Tool output is grey, so that messages stand out. */
const OUTPUT_INK = 0;
const FIRST_TEXT_INK = 1;
/** The number of inks for a text whose sentences all have one colour. */
export const PLAIN_INKS = 2;

export type Colour = readonly [red: number, green: number, blue: number];

/**
 * By number: tool output first, then the inks of messages, which consecutive sentences use in turn. All are dark on
 * white.
 */
export const INKS: readonly Colour[] = [
  [120, 120, 120],
  [0, 0, 0],
  [170, 0, 30],
  [0, 70, 170],
  [0, 105, 30],
  [115, 20, 150],
  [135, 70, 0],
];

export interface Typeset {
  /** Indices into `CHARACTERS`. */
  readonly letters: Uint8Array;
  /** Indices into `INKS`. */
  readonly inks: Uint8Array;
  /** Share of the characters that the font does not have. */
  readonly unknown: number;
}

export function typeset(pieces: readonly Piece[], bySentence: boolean): Typeset {
  const printed = pieces.map(({ text, isOutput }) => ({ ...printable(text.trim()), isOutput }));
  // Every piece ends its line.
  const length = printed.reduce((sum, { text }) => sum + text.length + 1, 0);
  const named = printed.reduce((sum, piece) => sum + piece.named, 0);
  const places = new Map(CHARACTERS.map((character, place) => [character, place]));
  const letters = new Uint8Array(length);
  const inks = new Uint8Array(length);
  const textInks = INKS.length - FIRST_TEXT_INK;
  let at = 0;
  let sentence = 0;
  for (const { text, isOutput } of printed) {
    for (const [index, character] of [...text, "\n"].entries()) {
      letters[at] = places.get(character)!;
      inks[at++] = isOutput ? OUTPUT_INK : FIRST_TEXT_INK + sentence;
      if (bySentence && !isOutput && isSentenceEnd(text, index)) sentence = (sentence + 1) % textInks;
    }
  }
  return { letters, inks, unknown: named / Math.max(1, length) };
}

function isSentenceEnd(text: string, index: number): boolean {
  if (index >= text.length || text[index] === "\n") return true;
  return text[index] === " " && /[.!?]/.test(text[index - 1] ?? "");
}
