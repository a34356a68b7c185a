// Tables: columns as wide as their text if they fit, wrapped cells if not, and a list of fields if the terminal is too
// narrow.

import type { Row, Span, Style } from "../rows/row.ts";
import { widthOf } from "../rows/width.ts";
import { rowOf, rowWidth, wrap } from "../rows/wrap.ts";
import { inlineSpans, mergeStyles } from "./inline.ts";
import { fitLead, type Lead, leadRows, leadSpans, type Part, roomBeside, type View } from "./part.ts";

type Alignment = "left" | "center" | "right";
export type Cells = readonly string[];

const GAP = 2;
/** Words are only broken in columns that would otherwise be wider than this. */
const WORD_LIMIT = 14;
const HEADER: Style = { bold: true };
const UNDERLINE: Style = { underline: true };
const RULE: Style = { color: "mdCodeBlockBorder" };
const DELIMITER = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

export const isDelimiterRow = (line: string): boolean => line.includes("|") && DELIMITER.test(line);

/** The cells of a row. An escaped bar is text. */
export function cellsOf(line: string): Cells {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

const alignmentOf = (cell: string): Alignment =>
  cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left";

/**
 * Column widths are fitted to the header and the first rows. Later rows use the same widths, so that they can be shown
 * while the rest is still arriving.
 */
export class TableShape {
  static readonly SAMPLE = 20;
  readonly header: Cells;
  readonly sample: readonly Cells[];
  readonly #alignments: readonly Alignment[];
  #fitted:
    | { readonly room: number; readonly links: boolean; readonly widths: readonly number[] | undefined }
    | undefined;

  constructor(header: Cells, delimiter: Cells, sample: readonly Cells[]) {
    this.header = header;
    this.sample = sample;
    this.#alignments = delimiter.map(alignmentOf);
  }

  alignment(column: number): Alignment {
    return this.#alignments[column] ?? "left";
  }

  /** Widths of the columns; undefined if they do not fit side by side. */
  widths(room: number, view: View): readonly number[] | undefined {
    if (this.#fitted?.room !== room || this.#fitted.links !== view.links) {
      this.#fitted = { room, links: view.links, widths: this.#fit(room, view) };
    }
    return this.#fitted.widths;
  }

  /** Whether a cell of the first rows takes several lines; lines between the rows then separate them. */
  isWrapped(widths: readonly number[], view: View): boolean {
    return this.sample.some((cells) =>
      widths.some((width, column) => spansWidth(inlineSpans(cells[column] ?? "", undefined, view)) > width),
    );
  }

  #fit(room: number, view: View): readonly number[] | undefined {
    const rows = [this.header, ...this.sample];
    const free = room - GAP * (this.header.length - 1);
    const spans = this.header.map((_, column) =>
      rows.map((cells) => inlineSpans(cells[column] ?? "", undefined, view)),
    );
    const natural = spans.map((column) => Math.max(1, ...column.map(spansWidth)));
    if (sum(natural) <= free) return natural;
    const least = spans.map((column) => Math.min(WORD_LIMIT, Math.max(3, ...column.map(longestWord))));
    if (sum(least) > free) return undefined;
    return shareWidths(natural, least, free);
  }
}

/** The header with the first rows. */
export const tableStart = (shape: TableShape, whole: Lead): Part => ({
  rows: (view) => {
    const lead = fitLead(whole, view);
    const room = roomBeside(lead, view);
    const widths = shape.widths(room, view);
    const below = lead.map((piece) => (piece.kind === "item" ? { ...piece, isFirst: false } : piece));
    if (widths === undefined) {
      return shape.sample.flatMap((cells, index) => fieldRows(shape, cells, index === 0 ? lead : below, view));
    }
    const header = gridRows(shape, shape.header, widths, HEADER, lead, view);
    const body = shape.sample.flatMap((cells, index) => bodyRows(shape, cells, widths, index === 0, below, view));
    return [
      ...header.slice(0, -1),
      underlineRow(header.at(-1), lead.length, view.columns - room + tableWidth(widths)),
      ...body,
    ];
  },
});

/** A row after the first ones. */
export const tableRow = (shape: TableShape, cells: Cells, whole: Lead): Part => ({
  rows: (view) => {
    const lead = fitLead(whole, view);
    const widths = shape.widths(roomBeside(lead, view), view);
    return widths === undefined
      ? fieldRows(shape, cells, lead, view)
      : bodyRows(shape, cells, widths, false, lead, view);
  },
});

function bodyRows(
  shape: TableShape,
  cells: Cells,
  widths: readonly number[],
  isFirst: boolean,
  lead: Lead,
  view: View,
): Row[] {
  const rows = gridRows(shape, cells, widths, undefined, lead, view);
  return !isFirst && shape.isWrapped(widths, view) ? [ruleRow(widths, lead, view), ...rows] : rows;
}

function gridRows(
  shape: TableShape,
  cells: Cells,
  widths: readonly number[],
  style: Style | undefined,
  lead: Lead,
  view: View,
): Row[] {
  const columns = widths.map((width, column) => wrap(inlineSpans(cells[column] ?? "", style, view), width));
  const height = Math.max(...columns.map((rows) => rows.length));
  return Array.from({ length: height }, (_, line) => {
    const spans: Span[] = leadSpans(lead, view.symbols, line === 0);
    let blanks = 0;
    for (const [column, rows] of columns.entries()) {
      const cell = rows[line] ?? { spans: [] };
      const spare = (widths[column] ?? 0) - rowWidth(cell);
      const left = { left: 0, right: spare, center: Math.floor(spare / 2) }[shape.alignment(column)];
      if (cell.spans.length > 0) spans.push(blank(blanks + left, style), ...cell.spans);
      blanks = cell.spans.length > 0 ? spare - left + GAP : blanks + spare + GAP;
    }
    return rowOf(...spans);
  });
}

const tableWidth = (widths: readonly number[]): number => sum(widths) + GAP * (widths.length - 1);

/** Underlines the header, which costs no row and few bytes. `lead` is the number of spans before the table. */
function underlineRow(row: Row = { spans: [] }, lead: number, width: number): Row {
  const blanks = { text: " ".repeat(Math.max(0, width - rowWidth(row))), style: HEADER };
  const header = [...row.spans.slice(lead), blanks].map(({ text, style }) => ({
    text,
    style: mergeStyles(style, UNDERLINE),
  }));
  return rowOf(...row.spans.slice(0, lead), ...header);
}

const blank = (width: number, style: Style | undefined): Span =>
  style === undefined ? { text: " ".repeat(width) } : { text: " ".repeat(width), style };

const ruleRow = (widths: readonly number[], lead: Lead, view: View): Row =>
  rowOf(...leadSpans(lead, view.symbols, false), {
    text: widths.map((width) => view.symbols.ruleHorizontal.repeat(width)).join(" ".repeat(GAP)),
    style: RULE,
  });

/** A row as a list item with one line per field. */
function fieldRows(shape: TableShape, cells: Cells, lead: Lead, view: View): Row[] {
  return shape.header.flatMap((name, column) => {
    const item = { kind: "item", marker: { kind: "bullet" }, isFirst: column === 0 } as const;
    const label = name === "" ? [] : inlineSpans(`${name}: `, HEADER, view);
    return leadRows([...label, ...inlineSpans(cells[column] ?? "", undefined, view)], [...lead, item], view);
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const spansWidth = (spans: readonly Span[]): number => Math.max(...spansText(spans).split("\n").map(widthOf));

const longestWord = (spans: readonly Span[]): number => Math.max(...spansText(spans).split(/\s/).map(widthOf));

const spansText = (spans: readonly Span[]): string => spans.map(({ text }) => text).join("");

/** Columns that need little get what they need; the others share the rest evenly. */
function shareWidths(natural: readonly number[], least: readonly number[], free: number): readonly number[] {
  const widths = [...least];
  let left = free - sum(widths);
  while (left > 0) {
    // Widening the narrowest column that needs more evens them out.
    const [next] = widths
      .map((width, column) => ({ width, column }))
      .filter(({ width, column }) => width < (natural[column] ?? 0))
      .sort((a, b) => a.width - b.width || a.column - b.column);
    if (next === undefined) break;
    widths[next.column] = next.width + 1;
    left--;
  }
  return widths;
}
