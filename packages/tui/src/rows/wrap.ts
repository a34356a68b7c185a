// Styled text in rows of a given width. Breaks between words where it can; a word longer than a row is broken between graphemes.

import type { Row, Span, Style } from "./row.ts";
import { graphemes, widthOf } from "./width.ts";

export const EMPTY_ROW: Row = { spans: [] };

export const row = (text: string, style?: Style): Row =>
  text === "" ? EMPTY_ROW : { spans: [style === undefined ? { text } : { text, style }] };

export const rowOf = (...spans: readonly Span[]): Row => ({ spans: spans.filter(({ text }) => text !== "") });

export const rowWidth = ({ spans }: Row): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

export const rowText = ({ spans }: Row): string => spans.map(({ text }) => text).join("");

export interface WrapOptions {
  /** Begins the first row and those that follow it. Both count for the width. */
  readonly first?: readonly Span[];
  readonly rest?: readonly Span[];
  readonly fill?: Row["fill"];
  /** Break only where a row is full, as for code and output. */
  readonly anywhere?: boolean;
}

interface Piece {
  readonly text: string;
  readonly width: number;
  readonly style: Style | undefined;
}

/** Rows at most `columns` wide. Spans may hold line ends, which always begin a row. */
export function wrap(spans: readonly Span[], columns: number, options: WrapOptions = {}): Row[] {
  const rows: Row[] = [];
  const lead = (): readonly Span[] => (rows.length === 0 ? options.first : (options.rest ?? [])) ?? [];
  const roomBeside = (spans: readonly Span[]): number =>
    Math.max(1, columns - spans.reduce((sum, { text }) => sum + widthOf(text), 0));
  const room = (): number => roomBeside(lead());
  const roomInNext = roomBeside(options.rest ?? []);
  const emit = (pieces: readonly Piece[]): void => {
    const made = joined(pieces);
    const own = [...lead(), ...made];
    rows.push(options.fill === undefined ? { spans: own } : { spans: own, fill: options.fill });
  };
  for (const line of lines(spans)) {
    let current: Piece[] = [];
    let width = 0;
    const end = (): void => {
      emit(withoutTrailingSpace(current));
      current = [];
      width = 0;
    };
    for (const word of options.anywhere ? singles(line) : words(line)) {
      const wide = word.reduce((sum, piece) => sum + piece.width, 0);
      const isSpace = !options.anywhere && word[0]?.text.trim() === "";
      if (width + wide <= room()) {
        current.push(...word);
        width += wide;
        continue;
      }
      if (isSpace) continue; // a space that does not fit is where the row breaks
      if (width > 0 && wide <= roomInNext) {
        end();
        current.push(...word);
        width = wide;
        continue;
      }
      for (const piece of word) {
        if (width > 0 && width + piece.width > room()) end();
        current.push(piece);
        width += piece.width;
      }
    }
    emit(options.anywhere ? current : withoutTrailingSpace(current));
  }
  return rows;
}

function lines(spans: readonly Span[]): Piece[][] {
  const result: Piece[][] = [[]];
  for (const { text, style } of spans) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) result.push([]);
      for (const grapheme of graphemes(part)) result.at(-1)?.push({ ...grapheme, style });
    }
  }
  return result;
}

const singles = (line: readonly Piece[]): Piece[][] => line.map((piece) => [piece]);

/** Runs of spaces, runs of other narrow text, and wide characters one by one: a row may break between any two of them. */
function words(line: readonly Piece[]): Piece[][] {
  const result: Piece[][] = [];
  let kind = "";
  for (const piece of line) {
    const next = piece.text === " " ? "space" : piece.width === 2 ? "wide" : "word";
    if (next === kind && next !== "wide") result.at(-1)?.push(piece);
    else result.push([piece]);
    kind = next;
  }
  return result;
}

function withoutTrailingSpace(pieces: readonly Piece[]): readonly Piece[] {
  let end = pieces.length;
  while (end > 0 && pieces[end - 1]?.text === " ") end--;
  // A row of spaces alone was meant: it is an indent.
  return end === 0 ? [] : pieces.slice(0, end);
}

function joined(pieces: readonly Piece[]): Span[] {
  const spans: { text: string; style?: Style }[] = [];
  let last: Style | undefined;
  for (const { text, style } of pieces) {
    const open = spans.at(-1);
    if (open !== undefined && style === last) open.text += text;
    else spans.push(style === undefined ? { text } : { text, style });
    last = style;
  }
  return spans;
}
