// The words that a recall searches for: the words of a question without those that every question has.

import { spaceOut } from "../../sessions/search-query.ts";

/** More words add nothing, and each one costs a lookup. */
const MOST_WORDS = 24;
/** Shorter prefixes match too many words. */
const BEGINNING = 4;

const COMMON = new Set(
  (
    "a about all also an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our " +
    "should so some such than that the their them then there these they this to us use used was we were what when where which who why will with would you your"
  ).split(" "),
);

/** The words of a text in lower case, in order. */
export const wordsOf = (text: string): string[] =>
  spaceOut(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");

export const isCommon = (word: string): boolean => COMMON.has(word);

function searchedWords(question: string): readonly string[] {
  const words = [...new Set(wordsOf(question))];
  const telling = words.filter((word) => !isCommon(word));
  return (telling.length > 0 ? telling : words).slice(0, MOST_WORDS);
}

/** The query in FTS5's language; undefined if there is nothing to search for. */
export function anyOfWords(question: string): string | undefined {
  const wanted = searchedWords(question);
  if (wanted.length === 0) return undefined;
  return wanted.map((word) => `"${word}"${isBeginning(word) ? "*" : ""}`).join(" OR ");
}

/** The share of the searched words in the text, from 0 to 1. */
export function shareOfWords(question: string, text: string): number {
  const wanted = searchedWords(question);
  const words = wordsOf(text);
  const held = wanted.filter((word) => words.some((one) => (isBeginning(word) ? one.startsWith(word) : one === word)));
  return held.length / Math.max(1, wanted.length);
}

const isBeginning = (word: string): boolean => word.length >= BEGINNING;
