// Diffs as rows: a gutter with line numbers and signs, marks on changed words, a line between hunks.

import type { Row, Span, Style } from "../rows/row.ts";
import { visible, visibleLine } from "../rows/visible.ts";
import { rowOf, wrap } from "../rows/wrap.ts";
import { SYMBOL_SETS } from "../theme/symbol-sets.ts";
import type { Symbols } from "../theme/symbols.ts";
import { changeDiff, type DiffLine, type FileChange, type FileDiff } from "./file-diff.ts";
import { parseUnified } from "./unified.ts";
import { type MarkedText, wordMarks } from "./word-marks.ts";

export interface DiffOptions {
  readonly wordMarks?: boolean;
  /** More rows than this are counted, not shown. */
  readonly maxRows?: number;
  readonly symbols?: Symbols;
}

const ADDED: Style = { color: "toolDiffAdded" };
const REMOVED: Style = { color: "toolDiffRemoved" };
const LOOKS = {
  added: { sign: "+", style: ADDED, marked: { ...ADDED, inverse: true } },
  removed: { sign: "-", style: REMOVED, marked: { ...REMOVED, inverse: true } },
  context: { sign: " ", style: { color: "toolDiffContext" }, marked: { color: "toolDiffContext" } },
} as const satisfies Record<DiffLine["kind"], { sign: string; style: Style; marked: Style }>;
const DIM: Style = { color: "dim" };
const PATH: Style = { bold: true };

/** One change, or all of a unified diff. */
export const fileDiffs = (change: FileChange | string): readonly FileDiff[] =>
  typeof change === "string" ? parseUnified(change) : [changeDiff(change)];

/** "src/a.ts (+2 -1)", plus what else the diff says about the file. */
export function diffHeadline(diff: FileDiff): readonly Span[] {
  const { status, oldPath, added, removed } = diff;
  const note = {
    changed: "",
    new: " new",
    deleted: " deleted",
    renamed: ` from ${visibleLine(oldPath ?? "")}`,
    binary: " binary",
  };
  const counts: Span[] = [
    { text: " (" },
    { text: `+${added}`, style: ADDED },
    { text: " " },
    { text: `-${removed}`, style: REMOVED },
    { text: ")" },
  ];
  return [
    { text: visibleLine(diff.path), style: PATH },
    ...(note[status] === "" ? [] : [{ text: note[status], style: DIM }]),
    ...(added + removed > 0 ? counts : []),
  ];
}

/**
 * The changed lines. In a diff of several files, each begins with its headline; for a single file, the caller adds it.
 */
export function diffRows(change: FileChange | string, columns: number, options: DiffOptions = {}): readonly Row[] {
  const { symbols = SYMBOL_SETS.unicode, maxRows = Number.POSITIVE_INFINITY } = options;
  const diffs = fileDiffs(change);
  const rows: Row[] = [];
  let hidden = 0;
  for (const diff of diffs) {
    if (rows.length > maxRows) {
      hidden += diff.hunks.flat().length;
      continue;
    }
    if (diffs.length > 1) rows.push(...wrap(diffHeadline(diff), columns));
    hidden += hunkRows(diff, columns, options, symbols, maxRows, rows);
  }
  if (hidden === 0 && rows.length <= maxRows) return rows;
  // The rows that do not fit belong to a line already begun, which counts as one more hidden line.
  const shown = rows.slice(0, Math.max(0, maxRows - 1));
  const count = hidden + (rows.length - shown.length);
  return [...shown, rowOf({ text: `${symbols.ellipsis} ${count} more lines`, style: DIM })];
}

/** Adds rows up to the limit; returns the number of lines left out. */
function hunkRows(
  diff: FileDiff,
  columns: number,
  options: DiffOptions,
  symbols: Symbols,
  maxRows: number,
  rows: Row[],
): number {
  if (diff.status === "binary") rows.push(rowOf({ text: "Binary file: no lines to show", style: DIM }));
  const width = String(Math.max(0, ...diff.hunks.flat().map(({ number }) => number))).length;
  let hidden = 0;
  for (const [index, hunk] of diff.hunks.entries()) {
    if (rows.length > maxRows) {
      hidden += hunk.length;
      continue;
    }
    if (index > 0) rows.push(rowOf({ text: `${" ".repeat(Math.max(0, width - 1))}${symbols.ellipsis}`, style: DIM }));
    const marks = options.wordMarks === false ? undefined : wordMarks(hunk);
    const endings = hunk.every(({ text }) => text.endsWith("\r"));
    for (const line of hunk) {
      if (rows.length > maxRows) hidden++;
      else rows.push(...lineRows(line, marks?.get(line), width, columns, endings));
    }
  }
  return hidden;
}

function lineRows(
  line: DiffLine,
  marks: readonly MarkedText[] | undefined,
  width: number,
  columns: number,
  endings: boolean,
): Row[] {
  const { sign, style, marked } = LOOKS[line.kind];
  const text = endings ? line.text.slice(0, -1) : line.text;
  const spans = marks === undefined ? [{ text: visible(text), style }] : markedSpans(marks, style, marked);
  const first = [
    { text: `${String(line.number).padStart(width)} `, style: DIM },
    { text: `${sign} `, style },
  ];
  const isEmpty = spans.every((span) => span.text === "");
  if (isEmpty) return [rowOf(first[0] as Span, { text: sign.trim(), style })];
  return wrap(spans, columns, { first, rest: [{ text: " ".repeat(width + 3) }], anywhere: true });
}

/** A tab extends to the next stop of the whole line, so make the whole text visible first, then cut it at the marks. */
function markedSpans(marks: readonly MarkedText[], style: Style, marked: Style): Span[] {
  let before = "";
  let length = 0;
  return marks.map(({ text, isMarked }) => {
    before += text;
    const shown = visible(before);
    const part = shown.slice(length);
    length = shown.length;
    return { text: part, style: isMarked ? marked : style };
  });
}
