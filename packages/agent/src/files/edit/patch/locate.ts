// Finds where the hunks of an update apply. A hunk is placed only if exactly one position is possible; only hints and
// the order of the hunks narrow the choice.

import { foldPunctuation } from "../../../base/text/fold.ts";
import { ToolFailure } from "../../../contract/tool.ts";
import type { TextEdit } from "../endings.ts";
import { indentOf, indentRule } from "../indent.ts";
import { type LineEdit, Lines } from "../lines.ts";
import { nearestText } from "../nearest-lines.ts";
import type { Change, Hunk } from "./types.ts";

export type Level = "exact" | "trailing-whitespace" | "indentation" | "unicode";

export interface LocatedHunks {
  readonly edits: readonly TextEdit[];
  readonly levels: readonly Level[];
}

const levels: readonly { readonly name: Level; readonly normalise: (line: string) => string }[] = [
  { name: "exact", normalise: (line) => line },
  { name: "trailing-whitespace", normalise: (line) => line.trimEnd() },
  { name: "indentation", normalise: (line) => line.trim() },
  { name: "unicode", normalise: (line) => foldPunctuation(line.normalize()).trim() },
];

interface Place {
  readonly start: number;
  readonly level: Level;
  readonly body: readonly Change[];
}

export function locateHunks(path: string, text: string, hunks: readonly Hunk[]): LocatedHunks {
  const lines = new Lines(text);
  const file = new SearchFile(lines.all());
  const edits: LineEdit[] = [];
  const used: Level[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const name = `${path}, hunk ${index + 1}`;
    if (oldSide(hunk.body).length === 0) {
      const at = insertionPoint(name, file, hunk, from);
      edits.push({ start: at, end: at, lines: hunk.body.map((change) => change.text) });
      used.push("exact");
      from = Math.max(from, at);
      continue;
    }
    const place = findPlace(name, file, hunk, from);
    edits.push(...lineEdits(file.lines, place));
    used.push(place.level);
    from = Math.max(from, place.start + oldSide(place.body).length);
  }
  refuseOverlap(path, edits);
  return { edits: withFinalBreak(lines, edits, hunks), levels: used };
}

/** Edits leave the end of the file as it is, unless the patch mentions the final line break. */
function withFinalBreak(lines: Lines, edits: readonly LineEdit[], hunks: readonly Hunk[]): readonly TextEdit[] {
  const change = hunks.findLast((hunk) => hunk.finalBreak)?.finalBreak;
  if (change === "gained" && lines.count > 0 && !lines.terminated) return gainBreak(lines, edits);
  if (change === "lost" && lines.terminated && lines.text !== "\n") return loseBreak(lines, edits);
  return lines.toTextEdits(edits);
}

function gainBreak(lines: Lines, edits: readonly LineEdit[]): TextEdit[] {
  const end = lines.text.length;
  const closed = new Lines(`${lines.text}\n`).toTextEdits(edits);
  const result = closed.map((edit) => ({ ...edit, start: Math.min(edit.start, end), end: Math.min(edit.end, end) }));
  if (edits.some((edit) => edit.start < lines.count && edit.end === lines.count)) return result;
  const appended = closed.findIndex((edit) => edit.start > end);
  const at = appended < 0 ? result.length : appended;
  return [...result.slice(0, at), { start: end, end, text: "\n" }, ...result.slice(at)];
}

function loseBreak(lines: Lines, edits: readonly LineEdit[]): TextEdit[] {
  const end = lines.text.length;
  const open = new Lines(lines.text.slice(0, -1)).toTextEdits(edits);
  const last = open.at(-1);
  if (last?.end !== end - 1) return [...open, { start: end - 1, end, text: "" }];
  return [...open.slice(0, -1), { ...last, end }];
}

class SearchFile {
  readonly lines: readonly string[];
  readonly #normalised = new Map<Level, readonly string[]>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  at(level: (typeof levels)[number]): readonly string[] {
    const known = this.#normalised.get(level.name) ?? this.lines.map(level.normalise);
    this.#normalised.set(level.name, known);
    return known;
  }

  matches(level: (typeof levels)[number], wanted: readonly string[]): number[] {
    const haystack = this.at(level);
    const needle = wanted.map(level.normalise);
    const found: number[] = [];
    for (
      let start = haystack.indexOf(needle[0] as string);
      start !== -1;
      start = haystack.indexOf(needle[0] as string, start + 1)
    ) {
      if (needle.every((line, offset) => haystack[start + offset] === line)) found.push(start);
    }
    return found;
  }
}

function oldSide(body: readonly Change[]): string[] {
  return body.filter((change) => change.kind !== "+").map((change) => change.text);
}

function findPlace(name: string, file: SearchFile, hunk: Hunk, from: number): Place {
  for (const body of bodies(hunk)) {
    const wanted = oldSide(body);
    if (wanted.length === 0) continue;
    for (const level of levels) {
      const fitting = file
        .matches(level, wanted)
        .filter((start) => canApply(file.lines, { start, level: level.name, body }));
      const after = fitting.filter((start) => start >= from);
      // Hunks out of order are accepted only if nothing fits further down.
      const candidates = after.length > 0 ? after : fitting;
      if (candidates.length === 0) continue;
      const start = choose(name, file, hunk, candidates, wanted.length, from);
      return { start, level: level.name, body };
    }
  }
  throw notFound(name, file, oldSide(hunk.body), from);
}

/** With the empty lines at the end of the hunk as context, and without them. */
function bodies(hunk: Hunk): (readonly Change[])[] {
  return hunk.looseTail === 0 ? [hunk.body] : [hunk.body, hunk.body.slice(0, -hunk.looseTail)];
}

function choose(
  name: string,
  file: SearchFile,
  hunk: Hunk,
  candidates: readonly number[],
  length: number,
  from: number,
): number {
  if (hunk.atEnd) {
    const last = candidates.find((start) => start + length === file.lines.length);
    if (last !== undefined) return last;
  }
  const [only] = candidates;
  if (candidates.length === 1 && only !== undefined) return only;
  if (hunk.oldLine !== undefined && candidates.includes(hunk.oldLine)) return hunk.oldLine;
  const hinted = hintLines(file, hunk.hints, from);
  const meant = candidates.filter((start) => hinted.some((hint) => start >= hint && start < reach(file.lines, hint)));
  if (meant.length === 1 && meant[0] !== undefined) return meant[0];
  throw new ToolFailure(
    `${name}: its lines fit in ${candidates.length} places (lines ${candidates
      .slice(0, 20)
      .map((start) => start + 1)
      .join(", ")}). Add context lines or an "@@" line naming the enclosing construct. Nothing was written.`,
  );
}

/** Lines that match the last hint; each hint is searched below the previous one. */
function hintLines(file: SearchFile, hints: readonly string[], from: number): number[] {
  let starts: number[] | undefined;
  for (const hint of hints) {
    const earliest = starts === undefined ? from - 1 : Math.min(...starts);
    let found: number[] = [];
    for (const level of levels) {
      found = file.matches(level, [hint]).filter((line) => line >= earliest);
      if (found.length > 0) break;
    }
    starts = found;
    if (found.length === 0) return [];
  }
  return starts ?? [];
}

/** The range of a hint: the block that it opens by indentation, or the rest of the file if it opens none. */
function reach(lines: readonly string[], hint: number): number {
  const depth = indentOf(lines[hint] as string).length;
  const deeper = (line: number) =>
    (lines[line] as string).trim() === "" || indentOf(lines[line] as string).length > depth;
  let end = hint + 1;
  while (end < lines.length && deeper(end)) end++;
  const opens = lines.slice(hint + 1, end).some((line) => line.trim() !== "");
  return opens ? end : lines.length;
}

function insertionPoint(name: string, file: SearchFile, hunk: Hunk, from: number): number {
  if (hunk.oldLine !== undefined && hunk.oldLine <= file.lines.length) return hunk.oldLine;
  if (hunk.hints.length === 0 || hunk.atEnd) return file.lines.length;
  const found = hintLines(file, hunk.hints, from);
  if (found.length === 1 && found[0] !== undefined) return found[0] + 1;
  if (found.length === 0) throw notFound(name, file, [hunk.hints.at(-1) as string], from);
  throw new ToolFailure(
    `${name}: the "@@" line occurs in ${found.length} places (lines ${found
      .slice(0, 20)
      .map((line) => line + 1)
      .join(", ")}). Add context lines. Nothing was written.`,
  );
}

/** From the indentation step on, added lines must be re-indented by the same rule as the quoted ones. */
function canApply(lines: readonly string[], place: Place): boolean {
  return addedLines(lines, place) !== undefined;
}

function addedLines(lines: readonly string[], { start, level, body }: Place): string[] | undefined {
  const added = body.filter((change) => change.kind === "+").map((change) => change.text);
  if (level === "exact" || level === "trailing-whitespace") return added;
  const typed = oldSide(body);
  const rule = indentRule(typed, lines.slice(start, start + typed.length));
  const moved = rule ? added.map(rule) : added.length === 0 ? [] : [undefined];
  return moved.some((line) => line === undefined) ? undefined : (moved as string[]);
}

/** One edit per run of "-" and "+" lines; context lines are unchanged. */
function lineEdits(lines: readonly string[], place: Place): LineEdit[] {
  const added = addedLines(lines, place) ?? [];
  const edits: LineEdit[] = [];
  let line = place.start;
  let next = 0;
  let open: { start: number; end: number; lines: string[] } | undefined;
  for (const change of place.body) {
    if (change.kind === " ") {
      if (open) edits.push(open);
      open = undefined;
      line++;
      continue;
    }
    open ??= { start: line, end: line, lines: [] };
    if (change.kind === "+") open.lines.push(added[next++] as string);
    else open.end = ++line;
  }
  return open ? [...edits, open] : edits;
}

function refuseOverlap(path: string, edits: readonly LineEdit[]): void {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, edit] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before && before.end > edit.start) {
      throw new ToolFailure(
        `${path}: two hunks change line ${edit.start + 1}. Join them into one. Nothing was written.`,
      );
    }
  }
}

function notFound(name: string, file: SearchFile, wanted: readonly string[], from: number): ToolFailure {
  const known = new Set(file.at(levels[3] as (typeof levels)[number]));
  const absent = wanted.find((line) => line.trim() !== "" && !known.has(foldPunctuation(line.normalize()).trim()));
  const what =
    absent === undefined
      ? `its old lines are in the file but not together in this order${from > 0 ? " after the previous hunk" : ""}`
      : `this line is not in the file: ${JSON.stringify(absent)}`;
  const near = nearestText(file.lines.join("\n"), wanted.join("\n"));
  return new ToolFailure(
    `${name}: ${what}. Nothing was written.\n${near ? `The nearest text is:\n${near}` : "Nothing in the file resembles it; read the file again."}`,
  );
}
