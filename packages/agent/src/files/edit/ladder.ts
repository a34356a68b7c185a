// Finds where a quoted text occurs in a file. Steps go from strict to tolerant; a step succeeds only with exactly one
// match, and several matches end the search, because guessing among them would put edits in the wrong place.

import { type ChangeObject, diffArrays } from "diff";
import { foldPunctuation, unescapeText } from "../../base/text/fold.ts";
import type { TextEdit } from "./endings.ts";
import { indentRule } from "./indent.ts";
import { withoutNumbers } from "./line-numbers.ts";
import { Lines } from "./lines.ts";

export type Step = "exact" | "trailing-whitespace" | "indentation" | "unicode" | "unescaped" | "unnumbered";

export type Placement =
  | { readonly kind: "found"; readonly step: Step; readonly edits: readonly TextEdit[] }
  | { readonly kind: "ambiguous"; readonly step: Step; readonly lines: readonly number[]; readonly more: boolean }
  | { readonly kind: "missing" };

export interface LadderOptions {
  /** Use every exact match; tolerant steps still need a single one. */
  readonly all?: boolean | undefined;
  readonly exactOnly?: boolean | undefined;
}

/** `text`, `old` and `replacement` have "\n" endings; `old` is not empty. */
export function place(text: string, old: string, replacement: string, options: LadderOptions = {}): Placement {
  const exact = findExact(text, old, replacement, options.all === true, "exact");
  if (exact.kind !== "missing" || options.exactOnly || old.trim() === "") return exact;
  const lines = new Lines(text);
  for (const step of ["trailing-whitespace", "indentation"] as const) {
    const result = findLines(lines, old, replacement, step);
    if (result.kind !== "missing") return result;
  }
  const folded = findFolded(text, old, replacement);
  if (folded.kind !== "missing") return folded;
  const foldedLines = findLines(lines, old, replacement, "unicode");
  if (foldedLines.kind !== "missing") return foldedLines;
  const plain = unescapeText(old);
  if (plain !== undefined) {
    const unescaped = findExact(text, plain, unescapeText(replacement) ?? replacement, false, "unescaped");
    if (unescaped.kind !== "missing") return unescaped;
  }
  const bare = withoutNumbers(old);
  if (bare === undefined || bare.trim() === "") return { kind: "missing" };
  const numbered = findLines(lines, bare, withoutNumbers(replacement) ?? replacement, "trailing-whitespace");
  return numbered.kind === "missing" ? numbered : { ...numbered, step: "unnumbered" };
}

function findExact(text: string, old: string, replacement: string, all: boolean, step: Step): Placement {
  const found = occurrences(text, old, all);
  if (found.length === 0) return { kind: "missing" };
  if (found.length > 1 && !all) return ambiguous(text, found, step);
  return { kind: "found", step, edits: found.map((start) => ({ start, end: start + old.length, text: replacement })) };
}

const REPORTED_PLACES = 20;

/** Overlapping matches count if a single one is wanted: "aa" occurs twice in "aaa". */
function occurrences(text: string, old: string, all: boolean): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + (all ? old.length : 1))) {
    found.push(at);
    if (!all && found.length > REPORTED_PLACES) break;
  }
  return found;
}

function ambiguous(text: string, offsets: readonly number[], step: Step): Placement {
  const lines = new Lines(text);
  const reported = offsets.slice(0, REPORTED_PLACES).map((offset) => lines.lineAt(offset) + 1);
  return { kind: "ambiguous", step, lines: [...new Set(reported)], more: offsets.length > REPORTED_PLACES };
}

const normalisers: Readonly<Record<"trailing-whitespace" | "indentation" | "unicode", (line: string) => string>> = {
  "trailing-whitespace": (line) => line.trimEnd(),
  indentation: (line) => line.trim(),
  unicode: (line) => foldPunctuation(line.normalize()).trim().replace(/\s+/g, " "),
};

function findLines(lines: Lines, old: string, replacement: string, step: keyof typeof normalisers): Placement {
  const typed = old.endsWith("\n") ? old.slice(0, -1).split("\n") : old.split("\n");
  const normalise = normalisers[step];
  const wanted = typed.map(normalise);
  const results: TextEdit[] = [];
  for (const start of possibleStarts(lines, typed, step)) {
    if (!wanted.every((line, index) => normalise(lines.at(start + index)) === line)) continue;
    const actual = lines.slice(start, start + typed.length);
    const body = carryOver(typed, actual, replacementLines(old, replacement), step);
    if (!body) continue;
    const wholeLines = old.endsWith("\n");
    const end = start + typed.length;
    const unterminated = end === lines.count && !lines.terminated;
    results.push({
      start: lines.offset(start),
      end: wholeLines || unterminated ? lines.offset(end) : lines.offset(end) - 1,
      text: body.join("\n") + (wholeLines && replacement.endsWith("\n") && !unterminated ? "\n" : ""),
    });
  }
  if (results.length === 0) return { kind: "missing" };
  if (results.length === 1) return { kind: "found", step, edits: results };
  return ambiguous(
    lines.text,
    results.map((edit) => edit.start),
    step,
  );
}

function replacementLines(old: string, replacement: string): string[] {
  if (old.endsWith("\n") && replacement === "") return [];
  return (old.endsWith("\n") && replacement.endsWith("\n") ? replacement.slice(0, -1) : replacement).split("\n");
}

/**
 * Lines where the typed ones may begin: only those around the longest typed word, because comparing each line of a
 * large file takes seconds.
 */
function* possibleStarts(lines: Lines, typed: readonly string[], step: keyof typeof normalisers): Generator<number> {
  const last = lines.count - typed.length;
  if (step === "unicode" && /[^\0-\x7f]/.test(lines.text)) {
    for (let start = 0; start <= last; start++) yield start;
    return;
  }
  const words = typed.map((line) => longestWord(step === "unicode" ? foldPunctuation(line.normalize()) : line));
  const word = longestOf(words);
  const within = words.indexOf(word);
  for (let at = lines.text.indexOf(word); at !== -1; ) {
    const line = lines.lineAt(at);
    const start = line - within;
    if (start >= 0 && start <= last) yield start;
    at = line + 1 < lines.count ? lines.text.indexOf(word, lines.offset(line + 1)) : -1;
  }
}

const longestOf = (words: readonly string[]) => words.reduce((a, b) => (b.length > a.length ? b : a), "");
const longestWord = (line: string) => longestOf(line.split(/\s+/));

const MAX_DIFFERENCE = 1000;

/** Texts too different to align count as wholly replaced. */
function lineChanges(from: readonly string[], to: readonly string[]): ChangeObject<string[]>[] {
  const [old, now] = [[...from], [...to]];
  return (
    diffArrays(old, now, { maxEditLength: MAX_DIFFERENCE }) ?? [
      { removed: true, added: false, value: old, count: old.length },
      { removed: false, added: true, value: now, count: now.length },
    ]
  );
}

/**
 * The replacement adapted to the file: lines that were only quoted keep the file's bytes, new ones follow its
 * indentation.
 */
function carryOver(
  typed: readonly string[],
  actual: readonly string[],
  replacement: readonly string[],
  step: Step,
): string[] | undefined {
  const reindent = step === "trailing-whitespace" ? (line: string) => line : indentRule(typed, actual);
  if (!reindent) return undefined;
  const result: string[] = [];
  let index = 0;
  for (const change of lineChanges(typed, replacement)) {
    if (change.added) {
      for (const line of change.value) {
        const moved = reindent(line);
        if (moved === undefined) return undefined;
        result.push(moved);
      }
      continue;
    }
    if (!change.removed) result.push(...actual.slice(index, index + change.value.length));
    index += change.value.length;
  }
  return result;
}

function findFolded(text: string, old: string, replacement: string): Placement {
  const [foldedText, foldedOld] = [foldPunctuation(text), foldPunctuation(old)];
  if (foldedText === text && foldedOld === old) return { kind: "missing" };
  const found = occurrences(foldedText, foldedOld, false);
  const [start] = found;
  if (start === undefined) return { kind: "missing" };
  if (found.length > 1) return ambiguous(text, found, "unicode");
  const end = start + old.length;
  const body = keepUntouched(old.split("\n"), text.slice(start, end).split("\n"), replacement.split("\n"));
  return { kind: "found", step: "unicode", edits: [{ start, end, text: body.join("\n") }] };
}

/**
 * Typed and actual lines have equal lengths here, so unchanged parts can be copied from the file character by
 * character.
 */
function keepUntouched(typed: readonly string[], actual: readonly string[], replacement: readonly string[]): string[] {
  const result: string[] = [];
  let index = 0;
  let removed = 0;
  for (const change of lineChanges(typed, replacement)) {
    if (change.removed) {
      removed = change.value.length;
      index += removed;
      continue;
    }
    if (change.added) {
      for (const [nth, line] of change.value.entries()) {
        const at = index - removed + nth;
        result.push(nth < removed ? graft(typed[at] as string, actual[at] as string, line) : line);
      }
    } else {
      result.push(...actual.slice(index, index + change.value.length));
      index += change.value.length;
    }
    removed = 0;
  }
  return result;
}

function graft(typed: string, actual: string, replacement: string): string {
  const shorter = Math.min(typed.length, replacement.length);
  let head = 0;
  while (head < shorter && typed[head] === replacement[head]) head++;
  let tail = 0;
  while (tail < shorter - head && typed[typed.length - 1 - tail] === replacement[replacement.length - 1 - tail]) tail++;
  return (
    actual.slice(0, head) + replacement.slice(head, replacement.length - tail) + actual.slice(actual.length - tail)
  );
}
