// Lays out a line of text in rows of the screen and converts between offsets and columns. Rows break after spaces if
// possible. One space may extend past the right edge, and so may the cursor: the caller keeps one column free for them.

import { type Cluster, clustersOf } from "./clusters.ts";
import type { Marks } from "./marks.ts";

export interface LineRow {
  readonly clusters: readonly Cluster[];
  readonly start: number;
  /** The offset after its last cluster: the start of the next row, or the line's end. */
  readonly end: number;
}

/** Rows of recently used lines, for one width. */
export class Layout {
  readonly columns: number;
  readonly #marks: Marks;
  readonly #rows = new Map<string, readonly LineRow[]>();
  #characters = 0;
  /** The last long line: the next one is usually the same with a small change. */
  #long: { readonly line: string; readonly rows: readonly LineRow[] } = { line: "", rows: [] };

  constructor(columns: number, marks: Marks) {
    this.columns = columns;
    this.#marks = marks;
  }

  rows(line: string): readonly LineRow[] {
    const known = this.#rows.get(line);
    if (known !== undefined) return known;
    if (this.#rows.size >= REMEMBERED || this.#characters > REMEMBERED_CHARACTERS) {
      this.#rows.clear();
      this.#characters = 0;
    }
    const made = line.length < LONG ? this.#makeRows(line, 0) : this.#updateLongRows(line);
    this.#rows.set(line, made);
    this.#characters += line.length;
    return made;
  }

  #makeRows(line: string, start: number): readonly LineRow[] {
    const clusters = clustersOf(start === 0 ? line : line.slice(start), this.#marks, this.columns);
    const placed = start === 0 ? clusters : clusters.map((one) => ({ ...one, offset: one.offset + start }));
    return lineRows(placed, this.columns, line.length);
  }

  /** Rows before the change stay, except the last of them: its end depends on what follows. */
  #updateLongRows(line: string): readonly LineRow[] {
    const { line: before, rows } = this.#long;
    const same = commonStart(before, line);
    let kept = 0;
    while (kept + 1 < rows.length && (rows[kept + 1] as LineRow).end < same) kept++;
    const start = rows[kept]?.start ?? 0;
    const made = kept === 0 ? this.#makeRows(line, 0) : [...rows.slice(0, kept), ...this.#makeRows(line, start)];
    this.#long = { line, rows: made };
    return made;
  }

  /** At the border of two rows, an offset belongs to the second. */
  rowOf(line: string, offset: number): number {
    const rows = this.rows(line);
    return Math.max(
      0,
      rows.findLastIndex(({ start }) => start <= offset),
    );
  }

  columnOf(line: string, offset: number): number {
    const row = this.rows(line)[this.rowOf(line, offset)];
    let column = 0;
    for (const cluster of row?.clusters ?? []) {
      if (cluster.offset >= offset) break;
      column += cluster.width;
    }
    return column;
  }

  /** The last offset in a row whose column is at most `column`. */
  offsetAt(line: string, rowIndex: number, column: number): number {
    const rows = this.rows(line);
    const row = rows[rowIndex];
    if (row === undefined) return line.length;
    let at = 0;
    for (const cluster of row.clusters) {
      if (at + cluster.width > column) return cluster.offset;
      at += cluster.width;
    }
    // The end of a broken row is the start of the next row, so stay before its last cluster.
    return rowIndex < rows.length - 1 ? (row.clusters.at(-1)?.offset ?? row.start) : row.end;
  }
}

const REMEMBERED = 256;
const REMEMBERED_CHARACTERS = 200_000;
const LONG = 2_000;

/** Strings are compared in stretches, and by character only if two stretches differ. */
const STRETCH = 1_024;

function commonStart(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at + STRETCH <= end && a.slice(at, at + STRETCH) === b.slice(at, at + STRETCH)) at += STRETCH;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function lineRows(clusters: readonly Cluster[], columns: number, length: number): LineRow[] {
  const rows: LineRow[] = [];
  let start = 0;
  while (start < clusters.length) {
    const end = rowEnd(clusters, start, columns);
    rows.push({
      clusters: clusters.slice(start, end),
      start: clusters[start]?.offset ?? 0,
      end: clusters[end]?.offset ?? length,
    });
    start = end;
  }
  // After a space past the edge, there is no column left for the cursor.
  const isOver = (rows.at(-1)?.clusters ?? []).reduce((sum, { width }) => sum + width, 0) > columns;
  return rows.length === 0 || isOver ? [...rows, { clusters: [], start: length, end: length }] : rows;
}

/** The index after the last cluster of the row that begins at `start`. */
function rowEnd(clusters: readonly Cluster[], start: number, columns: number): number {
  let width = 0;
  let end = start;
  while (end < clusters.length) {
    const { width: next = 0 } = clusters[end] ?? {};
    if (width + next > columns) break;
    width += next;
    end++;
  }
  if (end === clusters.length) return end;
  if (end === start) return start + 1;
  if (clusters[end]?.text === " ") return end + 1;
  for (let index = end; index > start; index--) if (mayBreakBefore(clusters, index)) return index;
  return end;
}

/** A line may break after a space and on either side of a wide character. */
function mayBreakBefore(clusters: readonly Cluster[], index: number): boolean {
  const before = clusters[index - 1];
  const after = clusters[index];
  return before?.text === " " || before?.width === 2 || after?.width === 2;
}
