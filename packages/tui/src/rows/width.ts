// The number of columns that text takes in a terminal. A grapheme is never split.

import { eastAsianWidth } from "get-east-asian-width";
import { segmentsOf } from "./segments.ts";

export interface Grapheme {
  readonly text: string;
  readonly width: number;
}

const ASCII = /^[ -~]*$/;
/** Characters that are drawn onto the one before them, or not at all. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\u20e3|[\u{1f1e6}-\u{1f1ff}]{2}/u;
/**
 * Characters that stand alone and take one column: Latin and Cyrillic, dashes and quotes, arrows, boxes and blocks,
 * braille.
 */
const NARROW =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713\u2717\u276f\u2800-\u28ff]*$/;

/** Whether every UTF-16 unit stands alone and takes one column. */
export const isNarrow = (text: string): boolean => ASCII.test(text) || NARROW.test(text);

export function graphemes(text: string): Grapheme[] {
  if (isNarrow(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  return Array.from(segmentsOf(text), (piece) => ({ text: piece.text, width: graphemeWidth(piece.text) }));
}

export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const piece of segmentsOf(text)) width += graphemeWidth(piece.text);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= " " && grapheme <= "~") return 1;
  if (NO_WIDTH.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  return Math.min(2, eastAsianWidth(grapheme.codePointAt(0) as number));
}

/** Returns as much of the text as fits into `columns`, with an ellipsis for the rest. */
export function shorten(text: string, columns: number, ellipsis = "…"): string {
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(ellipsis);
  let kept = "";
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += grapheme.width;
    if (width > room) break;
    kept += grapheme.text;
  }
  return room < 0 ? "" : `${kept}${ellipsis}`;
}
