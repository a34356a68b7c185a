// Parses a search: words in any order, each at the beginning of a word in the text; one or two letters match only a
// whole word. One query serves the index, the plain scan and the snippet, so that all three mean the same.

import { usageError } from "../platform/usage/exit.ts";

export interface SearchQuery {
  /** The query in FTS5 syntax. */
  readonly fts: string;
  /** All of them must match. */
  readonly patterns: readonly RegExp[];
}

/** Scripts written without spaces: every character is treated as a word. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const unspaced = new RegExp(`[${UNSPACED}]`, "u");
const everyUnspaced = new RegExp(`[${UNSPACED}]`, "gu");
const WORD = "\\p{L}\\p{N}";

export function parseQuery(words: readonly string[]): SearchQuery {
  const terms = words.map((word) => tokens(word)).filter((term) => term.length > 0);
  if (terms.length === 0) throw usageError("Give words to search for: lathe sessions search <words>");
  return {
    fts: terms.map((term) => `"${term.join(" ")}"${isBeginning(term) ? "*" : ""}`).join(" "),
    patterns: terms.map(patternOf),
  };
}

/** Converts a text to the form that the index stores. */
export const spaceOut = (text: string): string => (unspaced.test(text) ? text.replace(everyUnspaced, " $& ") : text);

const tokens = (word: string): string[] =>
  spaceOut(word)
    .split(new RegExp(`[^${WORD}\\p{M}]+`, "u"))
    .filter((token) => token !== "");

/** Fewer letters match so many words that the hits are useless and take long to find. */
const BEGINNING = 3;
const isBeginning = (term: readonly string[]): boolean => (term.at(-1)?.length ?? 0) >= BEGINNING;

/** `foo_bar` means the words foo and bar next to each other. */
function patternOf(term: readonly string[]): RegExp {
  const source = term.reduce((sofar, token) => {
    const between = unspaced.test(token) || unspaced.test(sofar.at(-1) ?? "") ? "*" : "+";
    return sofar === "" ? token : `${sofar}[^${WORD}]${between}${token}`;
  }, "");
  const before = unspaced.test(term[0] ?? "") ? "" : `(?<![${WORD}])`;
  const after = isBeginning(term) || unspaced.test(term.at(-1) ?? "") ? "" : `(?![${WORD}])`;
  return new RegExp(before + source + after, "iu");
}
