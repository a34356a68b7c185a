// For a quoted text that is not in the file: the lines most like it, so that the next attempt can quote them as they are.

import { splitLines } from "./lines.ts";

const MAX_LINES = 20_000;
const SHOWN = 12;
const PROBES = 8;
const CANDIDATES = 500;
const COMPARED_LETTERS = 1000;

/** Numbered lines, or undefined when nothing in the file resembles the wanted text. */
export function nearestText(text: string, wanted: string): string | undefined {
  const lines = splitLines(text).slice(0, MAX_LINES);
  const target = splitLines(wanted).map((line) => words(line));
  const lead = target.findIndex((line) => line.size > 0);
  if (lead < 0 || lines.length === 0) return undefined;
  const wordsAt = (index: number) => words(lines[index] ?? "");
  const heads = candidates(lines, target[lead] as Set<string>)
    .map((index) => ({ index, score: likeness(wordsAt(index), target[lead] as Set<string>) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, 30)
    .filter((head) => head.score > 0);
  let best = { start: -1, score: 0 };
  for (const { index } of heads) {
    const start = Math.max(0, index - lead);
    const score = target.reduce((sum, line, offset) => sum + likeness(wordsAt(start + offset), line), 0);
    if (score > best.score) best = { start, score };
  }
  if (best.start < 0 || best.score / target.length < 0.3) return undefined;
  return numbered(lines, best.start, Math.min(lines.length, best.start + Math.min(SHOWN, target.length)));
}

/** Lines that hold the most of the longest wanted words; taking all lines apart would hold up the host for seconds. */
function candidates(lines: readonly string[], wanted: ReadonlySet<string>): number[] {
  const longest = [...wanted].sort((a, b) => b.length - a.length).slice(0, PROBES);
  return lines
    .map((line, index) => ({ index, hits: longest.filter((word) => line.includes(word)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || a.index - b.index)
    .slice(0, CANDIDATES)
    .map(({ index }) => index);
}

export function numbered(
  lines: readonly string[],
  from: number,
  to: number,
  marked: ReadonlySet<number> = new Set(),
): string {
  const width = String(to).length;
  return lines
    .slice(from, to)
    .map((line, index) => {
      const mark = marked.size === 0 ? "" : marked.has(from + index) ? "*" : " ";
      return `${mark}${String(from + index + 1).padStart(width)} | ${clip(line)}`;
    })
    .join("\n");
}

function clip(line: string): string {
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function words(line: string): Set<string> {
  return new Set(line.slice(0, COMPARED_LETTERS).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
}

/** Dice coefficient of two word sets. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
  let shared = 0;
  for (const word of b) if (a.has(word)) shared++;
  return (2 * shared) / (a.size + b.size);
}
