// Scores how well a text matches a search. Every word of the query must occur: best as it is, at the start of a word,
// otherwise as letters in the same order. Small and synchronous, so that a list narrows on each key press.

const AT_START = 60;
const AT_WORD = 40;
const WITHIN = 20;
const SCATTERED = 1;

/** Undefined for no match. Higher is better; a shorter text wins among equals. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const folded = text.toLowerCase();
  let score = 0;
  for (const word of query.toLowerCase().split(/\s+/)) {
    if (word === "") continue;
    const own = wordScore(word, folded);
    if (own === undefined) return undefined;
    score += own;
  }
  return score - Math.min(folded.length, 1000) / 1000;
}

/** The matching items, best first; without a query, all in their own order. */
export function fuzzyFilter<T>(query: string, items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (query.trim() === "") return items;
  return items
    .map((item) => ({ item, score: fuzzyScore(query, textOf(item)) }))
    .filter((entry): entry is { item: T; score: number } => entry.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function wordScore(word: string, text: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return AT_START + word.length;
  if (at > 0) {
    for (let next = at; next >= 0; next = text.indexOf(word, next + 1))
      if (isWordStart(text, next)) return AT_WORD + word.length;
    return WITHIN + word.length;
  }
  return scatteredScore(word, text);
}

/**
 * Scores letters in order, starting at the start of a word. Letters that begin a word or follow each other count more;
 * letters too far apart are no match.
 */
function scatteredScore(word: string, text: string): number | undefined {
  let score = 0;
  let last = -1;
  for (const letter of word) {
    const start = nextWordStart(text, letter, last + 1);
    const near = text.indexOf(letter, last + 1);
    if (near < 0) return undefined;
    if (last < 0 && start < 0) return undefined;
    const at = last >= 0 && (near === last + 1 || start < 0) ? near : start;
    score += at === last + 1 ? 3 : isWordStart(text, at) ? 2 : 0;
    last = at;
  }
  return score >= word.length ? SCATTERED + score / word.length : undefined;
}

function nextWordStart(text: string, letter: string, from: number): number {
  for (let at = text.indexOf(letter, from); at >= 0; at = text.indexOf(letter, at + 1))
    if (isWordStart(text, at)) return at;
  return -1;
}

const isWordStart = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");
