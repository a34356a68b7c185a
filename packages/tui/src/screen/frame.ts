// The bytes of one frame: cursor movement, text with the fewest style changes, and patches from one row to another.
// Rows are counted from the top of the region; all movement is relative, because we do not know where on the screen the
// region is.

import { type Cell, isSameCell, type RowImage } from "./encode.ts";

const ESC = "\x1b";
const CSI = `${ESC}[`;
/** Moving over equal cells costs about this many bytes, so shorter gaps are written again. */
const JUMP_BYTES = 6;
const SMALL_BYTES = 256;

export interface Place {
  readonly row: number;
  /** -1 if the column is unknown. */
  readonly column: number;
}

export class Frame {
  #bytes = "";
  #row: number;
  #column: number;
  #sgr = "";
  #link = "";
  /** Whether rows were moved or erased, not only cells overwritten. */
  #movesRows = false;
  readonly columns: number;

  constructor(columns: number, from: Place) {
    this.columns = columns;
    this.#row = from.row;
    this.#column = from.column;
  }

  get bytes(): string {
    return this.#bytes;
  }

  get movesRows(): boolean {
    return this.#movesRows;
  }

  /**
   * Whether the terminal gets the frame in one piece and each cell is correct by itself, so that no partial state can
   * be visible.
   */
  get isSmall(): boolean {
    return !this.#movesRows && this.#bytes.length <= SMALL_BYTES;
  }

  get place(): Place {
    return { row: this.#row, column: this.#column };
  }

  moveTo(row: number, column: number): void {
    const down = row - this.#row;
    if (down === 0 && column === this.#column) return;
    if (down !== 0 && column === 0) {
      if (down === 1) this.#bytes += "\r\n";
      else this.#bytes += down > 0 ? csi(down, "E") : csi(-down, "F");
    } else {
      if (down !== 0) this.#bytes += down > 0 ? csi(down, "B") : csi(-down, "A");
      if (column !== this.#column) this.#bytes += column === 0 ? "\r" : csi(column + 1, "G");
    }
    this.#row = row;
    this.#column = column;
  }

  /** Moves back to the frame's start, which must not have moved on the screen. */
  returnTo(begin: Place): void {
    const there = this.#bytes;
    this.moveTo(begin.row, begin.column);
    // Restoring the cursor also restores the style.
    const plainEnd = `${CSI}m`;
    const remembered = `${ESC}7${there.endsWith(plainEnd) ? there.slice(0, -plainEnd.length) : there}${ESC}8`;
    if (remembered.length < this.#bytes.length) this.#bytes = remembered;
  }

  /** Moves up to the region's new start after the terminal has rearranged its rows, and erases everything below. */
  restart(rowsUp: number): void {
    // Not from the first column: tmux takes erasing from the top left for clearing the screen, and pushes everything
    // into the scrollback.
    this.#bytes += `\r${rowsUp > 0 ? csi(rowsUp, "A") : ""}${CSI}K${CSI}C${CSI}J\r`;
    this.#row = 0;
    this.#column = 0;
    this.#movesRows = true;
  }

  /** Adds empty rows below the last one; the terminal scrolls if necessary. */
  appendRows(lastRow: number, count: number): void {
    this.moveTo(lastRow, 0);
    this.#bytes += "\n".repeat(count);
    this.#row += count;
    this.#movesRows = true;
  }

  insertRows(row: number, count: number): void {
    this.moveTo(row, 0);
    this.#bytes += csi(count, "L");
    this.#movesRows = true;
  }

  deleteRows(row: number, count: number): void {
    this.moveTo(row, 0);
    this.#bytes += csi(count, "M");
    this.#movesRows = true;
  }

  eraseRow(row: number): void {
    this.moveTo(row, 0);
    this.#bytes += `${CSI}2K`;
    this.#movesRows = true;
  }

  /** Erases this row and all below it. */
  eraseFrom(row: number): void {
    this.moveTo(row, 0);
    this.#bytes += `${CSI}J`;
    this.#movesRows = true;
  }

  /** Writes the differences between the images. */
  patch(row: number, before: RowImage, after: RowImage): void {
    if (before.isUncertain || after.isUncertain) {
      this.#rewrite(row, after);
      return;
    }
    // Most rows are written where nothing was; they need not be split into cells.
    if (before.width === 0 && after.width > 0) {
      this.moveTo(row, 0);
      this.#write(after.stretches);
    } else this.#writeDifferent(row, before, after);
    const isTailRight = after.fill === before.fill && (after.width >= before.width || after.width === this.columns);
    if (!isTailRight) this.#eraseTail(row, after);
    this.#endRow();
  }

  #writeDifferent(row: number, before: RowImage, after: RowImage): void {
    for (const [from, to] of differingRuns(before, after)) {
      this.moveTo(row, (after.cells[from] as Cell).column);
      this.#write(after.cells.slice(from, to));
    }
  }

  /**
   * Turns wrapping off, so that a terminal that takes a cell as wider than we do cuts the row instead of breaking the
   * layout.
   */
  #rewrite(row: number, after: RowImage): void {
    this.moveTo(row, 0);
    this.#bytes += `${CSI}?7l${CSI}K`;
    this.#write(after.stretches);
    this.#column = -1;
    if (after.fill !== "" && after.width < this.columns) {
      this.#style(after.fill, "");
      this.#bytes += `${CSI}K`;
    }
    this.#endRow();
    this.#bytes += `${CSI}?7h`;
    this.#movesRows = true;
  }

  #eraseTail(row: number, after: RowImage): void {
    // With the cursor after the last column, erasing would remove the last cell.
    if (after.width >= this.columns) return;
    this.moveTo(row, after.width);
    this.#style(after.fill, "");
    this.#bytes += `${CSI}K`;
  }

  #write(cells: readonly Cell[]): void {
    for (const cell of cells) {
      this.#style(cell.sgr, cell.link);
      this.#bytes += cell.text;
      this.#column = cell.column + cell.width;
    }
    // The cursor is waiting at the edge to wrap, and terminals disagree about which column that is.
    if (this.#column >= this.columns) this.#column = -1;
  }

  #endRow(): void {
    this.#style("", "");
  }

  #style(sgr: string, link: string): void {
    if (link !== this.#link) this.#bytes += `${ESC}]8;;${link}${ESC}\\`;
    this.#link = link;
    if (sgr === this.#sgr) return;
    if (sgr === "") this.#bytes += `${CSI}m`;
    else if (this.#sgr === "") this.#bytes += `${CSI}${sgr}m`;
    else if (sgr.startsWith(`${this.#sgr};`)) this.#bytes += `${CSI}${sgr.slice(this.#sgr.length + 1)}m`;
    else if (isColourOnly(this.#sgr) && isColourOnly(sgr)) this.#bytes += `${CSI}${sgr}m`;
    else this.#bytes += `${CSI}0;${sgr}m`;
    this.#sgr = sgr;
  }
}

/** A style with only a foreground colour, which the next colour replaces. */
const isColourOnly = (sgr: string): boolean => /^(?:3[0-7]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)$/.test(sgr);

const csi = (count: number, final: string): string => `${CSI}${count === 1 ? "" : count}${final}`;

/** Index ranges of cells in `after` that differ from `before` in the same column. */
export function differingRuns(before: RowImage, after: RowImage): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let old = 0;
  for (const [index, cell] of after.cells.entries()) {
    while (old < before.cells.length && (before.cells[old] as Cell).column < cell.column) old++;
    const other = before.cells[old];
    if (other !== undefined && other.column === cell.column && isSameCell(other, cell)) continue;
    const run = runs.at(-1);
    const gap = run === undefined ? Number.POSITIVE_INFINITY : cell.column - columnOf(after, run[1]);
    if (run !== undefined && gap <= JUMP_BYTES) run[1] = index + 1;
    else runs.push([index, index + 1]);
  }
  return runs;
}

const columnOf = (image: RowImage, index: number): number => image.cells[index]?.column ?? image.width;
