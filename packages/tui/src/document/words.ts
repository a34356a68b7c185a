// Word boundaries: runs of letters and digits, of other characters, or of one East Asian script. A mark is a word by
// itself.

import type { Document } from "./document.ts";
import { isMark } from "./marks.ts";
import { isSame, type Place } from "./place.ts";

const CLASSES: readonly (readonly [string, RegExp])[] = [
  ["space", /^\s/],
  ["han", /^\p{Script=Han}/u],
  ["hiragana", /^\p{Script=Hiragana}/u],
  ["katakana", /^\p{Script=Katakana}/u],
  ["word", /^[\p{L}\p{N}\p{M}_]/u],
];

export const classOf = (cluster: string): string => {
  if (isMark(cluster)) return `mark ${cluster}`;
  return CLASSES.find(([, pattern]) => pattern.test(cluster))?.[0] ?? "sign";
};

const clusterAfter = (text: Document, place: Place): string => text.textBetween(place, text.after(place));
const clusterBefore = (text: Document, place: Place): string => text.textBetween(text.before(place), place);

/** The start of the word before a place; line breaks count as spaces. */
export function wordStartBefore(text: Document, from: Place): Place {
  let place = skipBack(text, from, (kind) => kind === "space");
  if (isSame(place, { line: 0, offset: 0 })) return place;
  const kind = classOf(clusterBefore(text, place));
  place = skipBack(text, place, (other) => other === kind);
  return place;
}

/** The end of the word after a place. */
export function wordEndAfter(text: Document, from: Place): Place {
  const place = skip(text, from, (kind) => kind === "space");
  if (isSame(place, text.end)) return place;
  const kind = classOf(clusterAfter(text, place));
  return skip(text, place, (other) => other === kind);
}

/** The start of the next word. */
export function wordStartAfter(text: Document, from: Place): Place {
  if (isSame(from, text.end)) return from;
  const kind = classOf(clusterAfter(text, from));
  const behind = kind === "space" ? from : skip(text, from, (other) => other === kind);
  return skip(text, behind, (other) => other === "space");
}

function skip(text: Document, from: Place, isSkipped: (kind: string) => boolean): Place {
  let place = from;
  while (!isSame(place, text.end) && isSkipped(classOf(clusterAfter(text, place)))) place = text.after(place);
  return place;
}

function skipBack(text: Document, from: Place, isSkipped: (kind: string) => boolean): Place {
  let place = from;
  while ((place.line > 0 || place.offset > 0) && isSkipped(classOf(clusterBefore(text, place)))) {
    place = text.before(place);
  }
  return place;
}
