// A row encoded for the terminal. Styles become SGR parameters here, once per row. Most rows are written once and never
// compared: they stay stretches of text, and are split into cells only when another row replaces them.

import type { Row, Style } from "../rows/row.ts";
import { graphemes, isNarrow } from "../rows/width.ts";

/** Converts styles to bytes; implemented by the theme. */
export interface Colours {
  /**
   * SGR parameters of a style, starting from plain text ("1;38;5;12"), without `ESC[` and `m`; "" for plain text. Links
   * are handled elsewhere.
   */
  sgr(style: Style): string;
  /** Replaces characters that the font may lack by others of the same width. Called only for text that is not ASCII. */
  signs?(text: string): string;
}

export interface Cell {
  readonly text: string;
  /** Columns it takes: 1 or 2. Zero-width marks belong to the cell before them. */
  readonly width: number;
  readonly column: number;
  readonly sgr: string;
  readonly link: string;
}

/** Neighbouring cells with the same style. */
export interface Stretch extends Cell {
  /** Whether every character is a cell of one column; if not, the whole text is one cell. */
  readonly isNarrow: boolean;
}

/** A row as displayed in a terminal of a certain width. */
export class RowImage {
  readonly row: Row;
  /** As long as possible, so that rows that look the same have the same stretches. */
  readonly stretches: readonly Stretch[];
  /** Total number of columns. */
  readonly width: number;
  /** SGR parameters of the background from the last cell to the right edge; "" for none. */
  readonly fill: string;
  /** Terminals disagree about the width of a character in it, so columns after it cannot be addressed. */
  readonly isUncertain: boolean;
  #cells: readonly Cell[] | undefined;

  constructor(row: Row, stretches: readonly Stretch[], fill: string, isUncertain: boolean) {
    this.row = row;
    this.stretches = stretches;
    const last = stretches.at(-1);
    this.width = last === undefined ? 0 : last.column + last.width;
    this.fill = fill;
    this.isUncertain = isUncertain;
  }

  get cells(): readonly Cell[] {
    this.#cells ??= this.stretches.flatMap((stretch) => cellsOf(stretch));
    return this.#cells;
  }

  /** Whether it ends with a plain blank. */
  get endsBlank(): boolean {
    const last = this.stretches.at(-1);
    return last !== undefined && isPlain(last) && last.text.endsWith(" ");
  }
}

export const EMPTY_IMAGE = new RowImage({ spans: [] }, [], "", false);

/** Joined emoji, variation selectors, flags, skin tones, key caps, spacing marks, conjoining jamo. */
const UNCERTAIN = /[\u200d\ufe0e\ufe0f\u20e3\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u1100-\u11ff]|\p{Mc}/u;
const ASCII = /^[ -~]*$/;
const PLAIN_STYLE: Style = {};

/** Cuts off what exceeds the columns. */
export function imageOf(row: Row, columns: number, colours: Colours): RowImage {
  const made = new Stretches(columns);
  let isUncertain = false;
  for (const { text, style } of row.spans) {
    const sgr = sgrOf(style, row.fill, colours);
    const link = style?.link === undefined ? "" : linkAddress(style.link);
    if (ASCII.test(text)) {
      made.narrow(text, sgr, link);
      continue;
    }
    isUncertain ||= UNCERTAIN.test(text);
    const shown = colours.signs?.(text) ?? text;
    if (isNarrow(shown)) made.narrow(shown, sgr, link);
    else for (const grapheme of graphemes(shown)) if (!made.grapheme(grapheme.text, grapheme.width, sgr, link)) break;
  }
  const fill = row.fill === undefined ? "" : colours.sgr({ background: row.fill });
  if (fill === "") made.dropBlanks();
  return new RowImage(row, made.all, fill, isUncertain);
}

class Stretches {
  readonly all: Stretch[] = [];
  readonly #columns: number;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  narrow(whole: string, sgr: string, link: string): void {
    const room = this.#columns - this.#column;
    const text = whole.length > room ? whole.slice(0, room) : whole;
    const last = this.all.at(-1);
    this.#column += text.length;
    if (last?.isNarrow && last.sgr === sgr && last.link === link) {
      this.#replaceLast(last, last.text + text);
    } else if (text !== "") {
      this.all.push({ text, width: text.length, column: this.#column - text.length, sgr, link, isNarrow: true });
    }
  }

  /** @returns whether there was room for it */
  grapheme(text: string, width: number, sgr: string, link: string): boolean {
    if (this.#column + width > this.#columns) return false;
    if (width === 1 && text.length === 1) this.narrow(text, sgr, link);
    else if (width > 0) {
      this.all.push({ text, width, column: this.#column, sgr, link, isNarrow: false });
      this.#column += width;
    } else this.#mark(text);
    return true;
  }

  /** A zero-width mark belongs to the cell before it. */
  #mark(text: string): void {
    const last = this.all.at(-1);
    if (last === undefined) return;
    if (!last.isNarrow) {
      this.all[this.all.length - 1] = { ...last, text: last.text + text };
      return;
    }
    const marked = last.text.slice(-1) + text;
    if (last.width === 1) this.all.pop();
    else this.#replaceLast(last, last.text.slice(0, -1));
    this.all.push({ ...last, text: marked, width: 1, column: this.#column - 1, isNarrow: false });
  }

  /** Drops blanks at the end of a plain row to save bytes, except one: the user may type on after it. */
  dropBlanks(): void {
    const last = this.all.at(-1);
    if (last !== undefined && isPlain(last) && last.text.endsWith("  ")) {
      this.#replaceLast(last, `${last.text.trimEnd()} `);
    }
  }

  #replaceLast(last: Stretch, text: string): void {
    this.all[this.all.length - 1] = { ...last, text, width: text.length };
  }
}

function cellsOf(stretch: Stretch): readonly Cell[] {
  const { text, column, sgr, link } = stretch;
  if (!stretch.isNarrow) return [stretch];
  return Array.from(text, (character, index) => ({ text: character, width: 1, column: column + index, sgr, link }));
}

const isPlain = ({ isNarrow: isOfNarrow, sgr, link }: Stretch): boolean => isOfNarrow && sgr === "" && link === "";

function sgrOf(style: Style | undefined, fill: Row["fill"], colours: Colours): string {
  if (fill !== undefined) return colours.sgr({ background: fill, ...style });
  return style === undefined ? "" : colours.sgr(style);
}

/** Whether both rows look the same, compared without splitting into cells: most rows of a frame have not changed. */
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
  if (a.width !== b.width || a.fill !== b.fill || a.stretches.length !== b.stretches.length) return false;
  return a.stretches.every((stretch, index) => isSameCell(stretch, b.stretches[index] as Stretch));
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

/** Link addresses may contain only printable ASCII: anything else could end the sequence early. */
const linkAddress = (address: string): string =>
  address.replace(/\p{Cs}/gu, "").replace(/[^!-~]/gu, encodeURIComponent);
