// Checks a drawing as a reader would: where the boxes are, and whether a line leads from one to another.

import type { MarkedLabel } from "./label-cells.ts";

/** A character of lines and boxes; labels contain none (label-cells.ts). */
const SIGN = /[!-/:-@[-`{-~\u2190-\u2bff]/;

type Cell = number;

interface Box {
  readonly inside: ReadonlySet<Cell>;
  readonly border: ReadonlySet<Cell>;
}

export class Drawing {
  readonly #text: string;
  readonly #rows: readonly string[];
  readonly #width: number;
  readonly #boxes: readonly (Box | undefined)[];
  readonly #boxOfCell = new Map<Cell, number>();

  constructor(text: string, boxes: readonly MarkedLabel[]) {
    this.#text = text;
    this.#rows = text.split("\n");
    this.#width = Math.max(...this.#rows.map((row) => row.length)) + 2;
    this.#boxes = boxes.map(({ mark }) => this.#findBox(mark));
    for (const [number, box] of this.#boxes.entries())
      for (const cell of [...(box?.inside ?? []), ...(box?.border ?? [])]) this.#boxOfCell.set(cell, number);
  }

  shows({ lines }: MarkedLabel): boolean {
    return lines.every((line) => this.#text.includes(line));
  }

  /** Whether a continuous line leads from one box to the other, outside all boxes. */
  connects(from: number, to: number): boolean {
    const start = this.#boxes[from];
    if (start === undefined || this.#boxes[to] === undefined) return false;
    const seen = new Set<Cell>(start.border);
    const left = [...start.border];
    for (let cell = left.pop(); cell !== undefined; cell = left.pop()) {
      for (const next of this.#around(cell)) {
        const box = this.#boxOfCell.get(next);
        if (box === to && this.#boxes[to]?.border.has(next)) return true;
        if (seen.has(next) || box !== undefined || (this.#at(next) ?? " ") === " ") continue;
        seen.add(next);
        left.push(next);
      }
    }
    return false;
  }

  /** Whether the box is inside the frame with this title under its upper edge; undefined if there is no such frame. */
  isFramed(box: number, title: MarkedLabel): boolean | undefined {
    const row = this.#rows.findIndex((one) => one.includes(title.mark));
    const at = this.#rows[row]?.indexOf(title.mark) ?? -1;
    const edge = this.#rows[row - 1] ?? "";
    const left = edge.lastIndexOf("┌", at);
    const right = edge.indexOf("┐", at);
    const [cell] = this.#boxes[box]?.inside ?? [];
    if (at < 0 || left < 0 || right < 0 || cell === undefined) return undefined;
    const height = this.#rows.slice(row).findIndex((one) => one.charAt(left) === "└" && one.charAt(right) === "┘");
    if (height < 0) return undefined;
    const column = (cell % this.#width) - 1;
    const line = Math.floor(cell / this.#width) - 1;
    return left < column && column < right && row <= line && line < row + height;
  }

  /** Undefined if it is not closed, because its end is then unknown. */
  #findBox(mark: string): Box | undefined {
    const row = this.#rows.findIndex((one) => one.includes(mark));
    if (row < 0) return undefined;
    const start = this.#cell(row, (this.#rows[row] ?? "").indexOf(mark));
    const inside = new Set<Cell>([start]);
    const border = new Set<Cell>();
    const left = [start];
    for (let cell = left.pop(); cell !== undefined; cell = left.pop()) {
      for (const next of [...this.#around(cell), ...this.#corners(cell)]) {
        const at = this.#at(next);
        if (at === undefined) return undefined;
        if (SIGN.test(at)) border.add(next);
        else if (!inside.has(next) && this.#around(cell).includes(next)) {
          inside.add(next);
          left.push(next);
        }
      }
    }
    return { inside, border };
  }

  #cell(row: number, column: number): Cell {
    return (row + 1) * this.#width + column + 1;
  }

  /** Undefined outside the drawing; short rows are padded with spaces. */
  #at(cell: Cell): string | undefined {
    const row = Math.floor(cell / this.#width) - 1;
    const column = (cell % this.#width) - 1;
    if (row < 0 || row >= this.#rows.length || column < 0 || column >= this.#width - 2) return undefined;
    return this.#rows[row]?.charAt(column) || " ";
  }

  #around(cell: Cell): readonly Cell[] {
    return [cell - this.#width, cell + this.#width, cell - 1, cell + 1];
  }

  #corners(cell: Cell): readonly Cell[] {
    return [cell - this.#width - 1, cell - this.#width + 1, cell + this.#width - 1, cell + this.#width + 1];
  }
}
