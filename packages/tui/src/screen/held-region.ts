// Where the live region begins after the window has changed its size, from what the terminal held before and what it does to rows.

import type { Reflow } from "../terminal/reflow.ts";
import { isPlainBlank, type RowImage } from "./encode.ts";

/** A row as the terminal holds it. */
export interface HeldRow {
  readonly image: RowImage;
  /** Columns that have ever been written since the row was last erased as a whole. */
  readonly used: number;
}

export interface HeldRegion {
  readonly rows: readonly HeldRow[];
  readonly cursor: { readonly row: number; readonly column: number };
  readonly columns: number;
  readonly height: number;
}

/** Rows between the first row of the region and the cursor, once the window has its new size. */
export function rowsAboveCursor(region: HeldRegion, columns: number, height: number, reflow: Reflow): number {
  const { rows, cursor } = region;
  if (!reflow.breaksRows || columns >= region.columns) return cursor.row;
  const pieces = (row: HeldRow): number => 1 + breaksBefore(row, lengthOf(row, region.columns, reflow) - 1, columns);
  let above = rows.slice(0, cursor.row).reduce((sum, row) => sum + pieces(row), 0);
  const cursorRow = rows[cursor.row];
  if (reflow.breaksCursorRow && cursorRow !== undefined) above += breaksBefore(cursorRow, cursor.column, columns);
  if (reflow.movesCursorByRowsBelow) {
    // A lower window has dropped rows at its bottom before it broke the others; at most as many as it has become lower.
    const kept = rows.slice(cursor.row + 1, rows.length - Math.max(0, region.height - height));
    above += kept.reduce((sum, row) => sum + pieces(row) - 1, 0);
  }
  return above;
}

/** How often the row is broken before its column. A wide character that would not fit is moved on whole. */
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
  return !reflow.countsLastBlank && isPlainBlank(image.cells.at(-1)) ? image.width - 1 : image.width;
}
