// Cursor motion that depends on the rows of the screen, or searches for a character.

import type { Document } from "../document/document.ts";
import type { Layout } from "../document/layout.ts";
import type { Place } from "../document/place.ts";
import { above, below } from "./viewport.ts";

/** The place this many rows down (or up, if negative), or as far as rows exist; undefined if there are none. */
export function placeRowsAway(text: Document, layout: Layout, by: number, column: number): Place | undefined {
  const { line, offset } = text.cursor;
  const from = { line, row: layout.rowOf(text.line(line), offset) };
  let place = from;
  for (let step = 0; step < Math.abs(by); step++) {
    const next = (by < 0 ? above : below)(text, layout, place);
    if (next === undefined) break;
    place = next;
  }
  if (place === from) return undefined;
  return { line: place.line, offset: layout.offsetAt(text.line(place.line), place.row, column) };
}

/** The next place of a character after the cursor, or the last before it, on any line. */
export function placeOfCharacter(text: Document, character: string, isForward: boolean): Place | undefined {
  const { line, offset } = text.cursor;
  const by = isForward ? 1 : -1;
  for (let index = line; index >= 0 && index < text.lines.length; index += by) {
    const content = text.line(index);
    const from = index !== line ? (isForward ? 0 : content.length) : offset + by;
    const found = from < 0 ? -1 : isForward ? content.indexOf(character, from) : content.lastIndexOf(character, from);
    if (found >= 0) return { line: index, offset: found };
  }
  return undefined;
}
