// Wraps styled text to rows of a given width. It breaks between words if possible; a word longer than a row is broken
// between graphemes.

import type { Row, Span, Style } from "./row.ts";
import { graphemes, isNarrow, widthOf } from "./width.ts";

export const EMPTY_ROW: Row = { spans: [] };

export const row = (text: string, style?: Style): Row =>
  text === "" ? EMPTY_ROW : { spans: [style === undefined ? { text } : { text, style }] };

export const rowOf = (...spans: readonly Span[]): Row => ({ spans: spans.filter(({ text }) => text !== "") });

export const rowWidth = ({ spans }: Row): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

export const rowText = ({ spans }: Row): string => spans.map(({ text }) => text).join("");

export interface WrapOptions {
  /** Spans before the first row and before the following rows. Both count towards the width. */
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

const ASCII = /^[ -~]*$/;
const RUNS = / +|[^ ]+/g;
/** Characters that never begin a line, in scripts without spaces between words. */
const CLOSING = /^[、。，．：；？！）」』】〉》〕｝”’…ー々]$/u;

/** Rows at most `columns` wide. Line breaks inside spans always begin a new row. */
export function wrap(spans: readonly Span[], columns: number, options: WrapOptions = {}): Row[] {
  const { first = [], rest = [], fill, anywhere = false } = options;
  const rows: Row[] = [];
  const rooms = [first, rest].map((lead) => Math.max(1, columns - rowWidth({ spans: lead }))) as [number, number];
  const room = (): number => rooms[rows.length === 0 ? 0 : 1];
  const emit = (pieces: readonly Piece[]): void => {
    const own = [...(rows.length === 0 ? first : rest), ...joinPieces(pieces)];
    rows.push(fill === undefined ? { spans: own } : { spans: own, fill });
  };
  for (const line of lines(spans)) {
    // Most lines fit and need not be split into words.
    if (widthOfPieces(line) <= room()) emit(anywhere ? line : withoutTrailingSpace(line));
    else if (anywhere) breakAnywhere(line, room, emit);
    else breakBetweenWords(line, room, rooms[1], emit);
  }
  return rows;
}

function breakBetweenWords(
  line: readonly Piece[],
  room: () => number,
  nextRoom: number,
  emit: (pieces: readonly Piece[]) => void,
): void {
  let current: Piece[] = [];
  let width = 0;
  let isFull = false;
  const end = (): void => {
    emit(withoutTrailingSpace(current));
    current = [];
    width = 0;
    isFull = false;
  };
  const add = (pieces: readonly Piece[], wide: number): void => {
    current.push(...pieces);
    width += wide;
  };
  for (const word of words(line)) {
    const wide = widthOfPieces(word);
    const isSpace = word[0]?.text.trim() === "";
    const fits = !isFull && width + wide <= room();
    if (isSpace) {
      // A space that does not fit is dropped: the row breaks there.
      if (fits) add(word, wide);
      else isFull = true;
      continue;
    }
    const isBegun = current.some(({ text }) => text.trim() !== "");
    if (isFull || (!fits && isBegun && wide <= nextRoom)) end();
    if (width + wide <= room()) {
      add(word, wide);
      continue;
    }
    for (const piece of word.flatMap((one) => (isNarrow(one.text) ? one : singles([one])))) {
      if (!isNarrow(piece.text)) {
        if (width > 0 && width + piece.width > room()) end();
        add([piece], piece.width);
        continue;
      }
      // Take as much at once as fits into the row: a word may be a whole file on one line.
      for (let from = 0; from < piece.text.length; ) {
        if (width > 0 && width >= room()) end();
        const text = piece.text.slice(from, from + Math.max(1, room() - width));
        add([{ text, width: text.length, style: piece.style }], text.length);
        from += text.length;
      }
    }
  }
  emit(withoutTrailingSpace(current));
}

function breakAnywhere(line: readonly Piece[], room: () => number, emit: (pieces: readonly Piece[]) => void): void {
  let current: Piece[] = [];
  let width = 0;
  const add = (piece: Piece): void => {
    if (width > 0 && width + piece.width > room()) {
      emit(current);
      current = [];
      width = 0;
    }
    current.push(piece);
    width += piece.width;
  };
  for (const piece of line) {
    if (!isNarrow(piece.text)) {
      for (const single of singles([piece])) add(single);
      continue;
    }
    // Take as much at once as fits into the row, instead of splitting long code into letters.
    let { text } = piece;
    while (text !== "") {
      // A full row ends before the next grapheme.
      const part = text.slice(0, Math.max(1, room() - width));
      add({ text: part, style: piece.style, width: part.length });
      text = text.slice(part.length);
    }
  }
  emit(current);
}

function lines(spans: readonly Span[]): Piece[][] {
  const result: Piece[][] = [[]];
  for (const { text, style } of spans) {
    if (!text.includes("\n")) {
      if (text !== "") result.at(-1)?.push({ text, width: widthOf(text), style });
      continue;
    }
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) result.push([]);
      if (part !== "") result.at(-1)?.push({ text: part, width: widthOf(part), style });
    }
  }
  return result;
}

const widthOfPieces = (pieces: readonly Piece[]): number => {
  let width = 0;
  for (const piece of pieces) width += piece.width;
  return width;
};

/** Splits pieces into graphemes. */
const singles = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap(({ text, style }) => graphemes(text).map((grapheme) => ({ ...grapheme, style })));

/** Runs of spaces, runs of other narrow text, and single wide characters: a row may break between any two of them. */
function words(line: readonly Piece[]): Piece[][] {
  const result: Piece[][] = [];
  let kind = "";
  const add = (piece: Piece, next: "space" | "wide" | "word"): void => {
    const isAttached = next === "wide" ? kind !== "space" && CLOSING.test(piece.text) : next === kind;
    if (isAttached && result.length > 0) result.at(-1)?.push(piece);
    else result.push([piece]);
    kind = next;
  };
  for (const { text, style } of line) {
    if (ASCII.test(text)) {
      for (const run of text.match(RUNS) ?? []) {
        add({ text: run, width: run.length, style }, run.startsWith(" ") ? "space" : "word");
      }
    } else {
      for (const grapheme of graphemes(text)) {
        add({ ...grapheme, style }, grapheme.text === " " ? "space" : grapheme.width === 2 ? "wide" : "word");
      }
    }
  }
  return result;
}

function withoutTrailingSpace(pieces: readonly Piece[]): readonly Piece[] {
  let end = pieces.length;
  while (end > 0 && pieces[end - 1]?.text.trim() === "") end--;
  const last = pieces[end - 1];
  if (last === undefined) return []; // only spaces: nothing to show
  if (!last.text.endsWith(" ")) return end === pieces.length ? pieces : pieces.slice(0, end);
  return [...pieces.slice(0, end - 1), { ...last, text: last.text.trimEnd() }];
}

function joinPieces(pieces: readonly Piece[]): Span[] {
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
