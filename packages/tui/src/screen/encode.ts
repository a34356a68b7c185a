// A row as the cells that a terminal will hold. Styles become SGR parameters here, once per row; what is painted is compared cell by cell.

import type { Row, Style } from "../rows/row.ts";
import { graphemes } from "../rows/width.ts";

/** Turns styles into bytes: made by the theme. */
export interface Colours {
  /** Parameters of an SGR sequence that starts from plain text ("1;38;5;12"), without `ESC[` and `m`; "" for plain text. Links are not its business. */
  sgr(style: Style): string;
  /** Other signs of the same width, where the font may lack some. Asked only for text that is not ASCII. */
  signs?(text: string): string;
}

export interface Cell {
  readonly text: string;
  /** Columns it takes: 1 or 2. Marks without width belong to the cell before them. */
  readonly width: number;
  readonly column: number;
  readonly sgr: string;
  readonly link: string;
}

/** How a row looks at a terminal of a certain width. */
export interface RowImage {
  readonly row: Row;
  readonly cells: readonly Cell[];
  /** Columns of the cells together. */
  readonly width: number;
  /** SGR parameters of the background between the last cell and the right edge; "" for none. */
  readonly fill: string;
  /** Terminals disagree about the width of something in it: columns behind it cannot be addressed. */
  readonly isUncertain: boolean;
}

export const EMPTY_IMAGE: RowImage = { row: { spans: [] }, cells: [], width: 0, fill: "", isUncertain: false };

/** Joined emoji, variation selectors, flags, skin tones, key caps, spacing marks, conjoining jamo. */
const UNCERTAIN = /[\u200d\ufe0e\ufe0f\u20e3\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u1100-\u11ff]|\p{Mc}/u;
const ASCII = /^[ -~]*$/;
const PLAIN_STYLE: Style = {};

/** What is wider than the columns is cut off. */
export function imageOf(row: Row, columns: number, colours: Colours): RowImage {
  const cells: Cell[] = [];
  let column = 0;
  let isUncertain = false;
  for (const { text, style } of row.spans) {
    const sgr = sgrOf(style, row.fill, colours);
    const link = style?.link === undefined ? "" : linkAddress(style.link);
    if (ASCII.test(text)) {
      const end = Math.min(text.length, columns - column);
      for (let at = 0; at < end; at++) cells.push({ text: text.charAt(at), width: 1, column: column++, sgr, link });
      continue;
    }
    isUncertain ||= UNCERTAIN.test(text);
    for (const grapheme of graphemes(colours.signs?.(text) ?? text)) {
      if (column + grapheme.width > columns) break;
      const last = cells.at(-1);
      if (grapheme.width > 0) cells.push({ text: grapheme.text, width: grapheme.width, column, sgr, link });
      else if (last !== undefined) cells[cells.length - 1] = { ...last, text: last.text + grapheme.text };
      column += grapheme.width;
    }
  }
  const fill = row.fill === undefined ? "" : colours.sgr({ background: row.fill });
  // Blanks at the end of a plain row would only be bytes. One of them stays: text goes on behind it while somebody types.
  while (fill === "" && isPlainBlank(cells.at(-1)) && isPlainBlank(cells.at(-2))) {
    cells.pop();
    column--;
  }
  return { row, cells, width: column, fill, isUncertain };
}

export const isPlainBlank = (cell: Cell | undefined): boolean =>
  cell?.text === " " && cell.sgr === "" && cell.link === "";

function sgrOf(style: Style | undefined, fill: Row["fill"], colours: Colours): string {
  if (fill !== undefined) return colours.sgr({ background: fill, ...style });
  return style === undefined ? "" : colours.sgr(style);
}

/** Whether both look the same, without making cells: most rows of a frame are those of the frame before. */
export function isSameRow(a: Row, b: Row): boolean {
  if (a === b) return true;
  if (a.fill !== b.fill || a.spans.length !== b.spans.length) return false;
  return a.spans.every((span, index) => {
    const other = b.spans[index];
    return other !== undefined && span.text === other.text && isSameStyle(span.style, other.style);
  });
}

export const isSameCell = (a: Cell, b: Cell): boolean =>
  a.text === b.text && a.sgr === b.sgr && a.link === b.link && a.width === b.width;

export function isSameImage(a: RowImage, b: RowImage): boolean {
  if (a === b) return true;
  if (a.width !== b.width || a.fill !== b.fill || a.cells.length !== b.cells.length) return false;
  return a.cells.every((cell, index) => isSameCell(cell, b.cells[index] as Cell));
}

function isSameStyle(a: Style = PLAIN_STYLE, b: Style = PLAIN_STYLE): boolean {
  if (a === b) return true;
  return (
    a.color === b.color &&
    a.background === b.background &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.strike === b.strike &&
    a.inverse === b.inverse &&
    a.link === b.link
  );
}

/** An address holds printable ASCII only: anything else could end the sequence early. */
const linkAddress = (address: string): string =>
  address.replace(/\p{Cs}/gu, "").replace(/[^!-~]/gu, encodeURIComponent);
