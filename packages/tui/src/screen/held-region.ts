// Computes where the live region begins after the window was resized, from the rows that the terminal held and its way
// of reflowing them.

import type { Reflow } from "../terminal/reflow.ts";
import type { RowImage } from "./encode.ts";

/** A row as the terminal holds it. */
export interface HeldRow {
  readonly image: RowImage;
  /** Columns written since the row was last erased completely. */
  readonly used: number;
}

export interface HeldRegion {
  readonly rows: readonly HeldRow[];
  readonly cursor: { readonly row: number; readonly column: number };
  readonly columns: number;
  readonly height: number;
}

/** Rows between the region's first row and the cursor, after the resize. */
export function rowsAboveCursor(region: HeldRegion, columns: number, height: number, reflow: Reflow): number {
  const { rows, cursor } = region;
  if (!reflow.breaksRows || columns >= region.columns) return cursor.row;
  const breaks = (row: HeldRow): number => breaksBefore(row, lengthOf(row, region.columns, reflow) - 1, columns);
  if (reflow.movesCursorByRowsBelow) {
    // A shorter window drops rows at its bottom before it breaks others. How many of ours it dropped depends on what
    // was below the region, which the terminal does not report; the smallest answer never erases committed text.
    const below = rows.length - 1 - cursor.row;
    const dropped = Math.min(below, Math.max(0, region.height - height));
    const answers = Array.from({ length: dropped + 1 }, (_, count) =>
      cursorAfterBreaking(rows.slice(0, rows.length - count).map(breaks), cursor.row),
    );
    return Math.min(...answers);
  }
  const cursorRow = rows[cursor.row];
  const inCursorRow = cursorRow === undefined ? 0 : breaksBefore(cursorRow, cursor.column, columns);
  return rows.slice(0, cursor.row).reduce((sum, row) => sum + 1 + breaks(row), inCursorRow);
}

/** Rows from the region's first row to its last, after the resize; `above` of them are above the cursor. */
export function rowsAfterBreaking(region: HeldRegion, above: number, columns: number, reflow: Reflow): number {
  const { rows, cursor } = region;
  const below = rows.slice(cursor.row + 1);
  // If breaks below the cursor move it, `above` includes them already.
  if (!reflow.breaksRows || reflow.movesCursorByRowsBelow) return above + 1 + below.length;
  const length = (row: HeldRow): number => lengthOf(row, region.columns, reflow);
  const cursorRow = rows[cursor.row];
  const inCursorRow =
    cursorRow === undefined
      ? 0
      : breaksBefore(cursorRow, length(cursorRow) - 1, columns) - breaksBefore(cursorRow, cursor.column, columns);
  return below.reduce(
    (sum, row) => sum + 1 + breaksBefore(row, length(row) - 1, columns),
    above + 1 + Math.max(0, inCursorRow),
  );
}

/**
 * xterm.js breaks rows from the bottom up and moves the cursor down with each; the row where the cursor is at that
 * moment stays whole.
 */
function cursorAfterBreaking(breaks: readonly number[], cursorRow: number): number {
  let cursor = cursorRow;
  for (let row = breaks.length - 1; row >= 0; row--) if (row !== cursor) cursor += breaks[row] as number;
  return cursor;
}

/**
 * How many times the row is broken before the column. A wide character that does not fit moves to the next row whole.
 */
function breaksBefore({ image }: HeldRow, column: number, columns: number): number {
  let breaks = 0;
  let begin = 0;
  for (const cell of image.cells) {
    if (cell.column > column) return breaks;
    if (cell.column + cell.width - begin > columns) {
      breaks++;
      begin = cell.column;
    }
  }
  return breaks + Math.max(0, Math.floor((column - begin) / columns));
}

function lengthOf({ image, used }: HeldRow, columns: number, reflow: Reflow): number {
  if (reflow.countsFills && image.fill !== "") return columns;
  if (reflow.countsErased) return used;
  return !reflow.countsLastBlank && image.endsBlank ? image.width - 1 : image.width;
}
