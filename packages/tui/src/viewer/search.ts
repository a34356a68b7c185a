// Finds words in rows and marks them.

import type { Row, Span } from "../rows/row.ts";
import { rowText } from "../rows/wrap.ts";

/** Matches the words literally; case matters only if they contain a capital. */
export const patternOf = (words: string): RegExp =>
  new RegExp(words.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), words === words.toLowerCase() ? "giu" : "gu");

export const matchesIn = (text: string, pattern: RegExp): { from: number; to: number }[] =>
  Array.from(text.matchAll(pattern), (match) => ({ from: match.index, to: match.index + match[0].length }));

export function withMarks(row: Row, pattern: RegExp, isCurrent: boolean): Row {
  const matches = matchesIn(rowText(row), pattern);
  if (matches.length === 0) return row;
  const spans: Span[] = [];
  let begin = 0;
  for (const span of row.spans) {
    const end = begin + span.text.length;
    let at = begin;
    for (const { from, to } of matches) {
      if (to <= at || from >= end) continue;
      if (from > at) spans.push({ ...span, text: span.text.slice(at - begin, from - begin) });
      const first = Math.max(from, at);
      const last = Math.min(to, end);
      const style = { ...span.style, inverse: true, ...(isCurrent ? { bold: true } : {}) };
      spans.push({ text: span.text.slice(first - begin, last - begin), style });
      at = last;
    }
    if (at < end) spans.push({ ...span, text: span.text.slice(at - begin) });
    begin = end;
  }
  return { ...row, spans };
}
