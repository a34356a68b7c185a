// Vim's motions: the place a motion leads to, and which text an operator takes on the way.

import type { Document } from "../document/document.ts";
import { isSame, type Place } from "../document/place.ts";
import { classOf, wordEndAfter, wordStartAfter, wordStartBefore } from "../document/words.ts";

export interface Motion {
  readonly to: Place;
  /** Whether an operator takes whole lines, the text including the last character, or the text without it. */
  readonly extent: "lines" | "inclusive" | "exclusive";
}

export interface CharacterSearch {
  readonly key: string;
  readonly character: string;
}

/** Matches the keys of a motion, complete or not: `g` waits for another `g`, `f` for a character. */
export const MOTION = /^(?:[hjklwbe0^$G;,]|gg|[fFtT].)$/su;
export const MOTION_BEGUN = /^(?:g|[fFtT])$/;

export function motion(
  text: Document,
  keys: string,
  count: number | undefined,
  last?: CharacterSearch,
): Motion | undefined {
  const from = text.cursor;
  const times = count ?? 1;
  const line = text.line(from.line);
  const exclusive = (to: Place): Motion => ({ to, extent: "exclusive" });
  const lines = (target: number): Motion => {
    const index = Math.max(0, Math.min(text.lines.length - 1, target));
    return {
      to: { line: index, offset: index === from.line ? from.offset : firstSign(text.line(index)) },
      extent: "lines",
    };
  };
  switch (keys) {
    case "h":
      return exclusive(repeatStep(from, times, (place) => (place.offset === 0 ? place : text.before(place))));
    case "l":
      return exclusive(repeatStep(from, times, (place) => (place.offset >= line.length ? place : text.after(place))));
    case "w":
      return exclusive(repeatStep(from, times, (place) => wordStartAfter(text, place)));
    case "b":
      return exclusive(repeatStep(from, times, (place) => wordStartBefore(text, place)));
    case "e":
      return { to: repeatStep(from, times, (place) => lastOfWord(text, place)), extent: "inclusive" };
    case "0":
      return exclusive({ ...from, offset: 0 });
    case "^":
      return exclusive({ ...from, offset: firstSign(line) });
    case "$": {
      const index = Math.min(text.lines.length - 1, from.line + times - 1);
      return exclusive({ line: index, offset: text.line(index).length });
    }
    case "j":
      return from.line + times > text.lines.length - 1 ? undefined : lines(from.line + times);
    case "k":
      return from.line - times < 0 ? undefined : lines(from.line - times);
    case "gg":
      return lines(count === undefined ? 0 : count - 1);
    case "G":
      return lines(count === undefined ? text.lines.length - 1 : count - 1);
    case ";":
      return last && search(text, last, times);
    case ",":
      return last && search(text, { ...last, key: swapCase(last.key) }, times);
  }
  return search(text, { key: keys[0] ?? "", character: keys.slice(1) }, times);
}

/** f, F, t and T stay within the line. */
function search(text: Document, { key, character }: CharacterSearch, times: number): Motion | undefined {
  const { line, offset } = text.cursor;
  const content = text.line(line);
  const isForward = key === "f" || key === "t";
  let at = offset;
  for (let step = 0; step < times; step++) {
    // The cursor is already right before a match, so search beyond it.
    const skip = step === 0 && key === "t" && content.startsWith(character, at + 1) ? 2 : 1;
    at = isForward ? content.indexOf(character, at + skip) : at === 0 ? -1 : content.lastIndexOf(character, at - 1);
    if (at < 0) return undefined;
  }
  const found: Place = { line, offset: at };
  if (key === "t") return { to: text.before(found), extent: "inclusive" };
  if (key === "T") return { to: text.after(found), extent: "exclusive" };
  return { to: found, extent: isForward ? "inclusive" : "exclusive" };
}

/** The last cluster of the word that ends after the place. */
function lastOfWord(text: Document, place: Place): Place {
  const next = text.after(place);
  if (isSame(next, text.end)) return place;
  return text.before(wordEndAfter(text, next));
}

/** `cw` on a word changes up to its end, without the space after it. */
export function changedWordEnd(text: Document, times: number): Place {
  const { cursor } = text;
  const here = classOf(text.textBetween(cursor, text.after(cursor)));
  if (here === "space") return wordStartAfter(text, cursor);
  return repeatStep(cursor, times, (place) => wordEndAfter(text, place));
}

export const firstSign = (line: string): number => Math.max(0, line.search(/\S|$/));

function repeatStep(from: Place, times: number, step: (place: Place) => Place): Place {
  let place = from;
  for (let index = 0; index < times; index++) {
    const next = step(place);
    if (isSame(next, place)) break;
    place = next;
  }
  return place;
}

const swapCase = (key: string): string => (key === key.toLowerCase() ? key.toUpperCase() : key.toLowerCase());
