// For a quoted text that is not in the file: finds the most similar lines, so that the next attempt can quote them
// exactly.

import { Lines, splitLines } from "./lines.ts";

const SHOWN = 12;
const PROBES = 8;
const CANDIDATES = 500;
const COMPARED_LETTERS = 1000;

/** Numbered lines, or undefined if nothing in the file resembles the wanted text. */
export function nearestText(text: string, wanted: string): string | undefined {
  const target = splitLines(wanted).map((line) => words(line));
  const lead = target.findIndex((line) => line.size > 0);
  if (lead < 0 || text === "") return undefined;
  const file = new Lines(text);
  const wordsAt = (index: number) => words(file.at(index));
  const heads = candidates(file, target[lead] as Set<string>)
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
  const end = Math.min(file.count, best.start + Math.min(SHOWN, target.length));
  return numberedFrom(file.slice(best.start, end), best.start, new Set());
}

/**
 * Lines that contain the rarest of the longest wanted words; splitting all lines into words would block the host for
 * seconds.
 */
function candidates(file: Lines, wanted: ReadonlySet<string>): number[] {
  const weights = new Map<number, number>();
  const longest = [...wanted].sort((a, b) => b.length - a.length).slice(0, PROBES);
  for (const word of longest.flatMap((given) => [...new Set([given, given.normalize("NFD")])])) {
    const lines = linesWith(file, word);
    for (const line of lines) weights.set(line, (weights.get(line) ?? 0) + 1 / lines.length);
  }
  return [...weights]
    .sort(([a, weightA], [b, weightB]) => weightB - weightA || a - b)
    .slice(0, CANDIDATES)
    .map(([line]) => line);
}

/** The first lines that contain the word. */
function linesWith(file: Lines, word: string): number[] {
  const lines: number[] = [];
  for (let at = file.text.indexOf(word); at !== -1 && lines.length < CANDIDATES; ) {
    const line = file.lineAt(at);
    lines.push(line);
    at = line + 1 < file.count ? file.text.indexOf(word, file.offset(line + 1)) : -1;
  }
  return lines;
}

export function numberedRange(
  lines: readonly string[],
  from: number,
  to: number,
  marked: ReadonlySet<number> = new Set(),
): string {
  return numberedFrom(lines.slice(from, to), from, marked);
}

function numberedFrom(lines: readonly string[], from: number, marked: ReadonlySet<number>): string {
  const width = String(from + lines.length).length;
  return lines
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
  return new Set(
    line
      .slice(0, COMPARED_LETTERS)
      .normalize()
      .match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [],
  );
}

/** Dice coefficient of two word sets. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
  let shared = 0;
  for (const word of b) if (a.has(word)) shared++;
  return (2 * shared) / (a.size + b.size);
}
