// The visible part of a text: as many rows as fit, always including the cursor. Its cost depends on the visible rows,
// not on the text.

import type { CursorPlace } from "../component.ts";
import type { Document } from "../document/document.ts";
import type { Layout, LineRow } from "../document/layout.ts";
import { isMark } from "../document/marks.ts";
import type { Place } from "../document/place.ts";
import type { Row, Span, Style } from "../rows/row.ts";

/** A row of the text: its line, and which row of that line. */
interface TextRow {
  readonly line: number;
  readonly row: number;
}

export interface View {
  readonly rows: readonly Row[];
  readonly cursor: CursorPlace;
  /** Hidden lines, including partly hidden ones. */
  readonly above: number;
  readonly below: number;
}

const MARK_STYLE: Style = { color: "accent" };

export class Viewport {
  #top: TextRow = { line: 0, row: 0 };

  show(text: Document, layout: Layout, height: number, selection?: readonly [Place, Place]): View {
    const { line, offset } = text.cursor;
    const cursorRow: TextRow = { line, row: layout.rowOf(text.line(line), offset) };
    this.#scroll(text, layout, cursorRow, height);
    const rows: Row[] = [];
    let place = this.#top;
    let cursor: CursorPlace = { row: 0, column: 0 };
    let last = place;
    for (
      let next: TextRow | undefined = place;
      next !== undefined && rows.length < height;
      next = below(text, layout, next)
    ) {
      place = next;
      last = place;
      if (isSameRow(place, cursorRow)) cursor = { row: rows.length, column: layout.columnOf(text.line(line), offset) };
      const shown = layout.rows(text.line(place.line))[place.row];
      if (shown !== undefined) rows.push({ spans: spansOf(shown, selectedPart(place.line, selection)) });
    }
    const rest = layout.rows(text.line(last.line)).length - 1 > last.row ? 1 : 0;
    return {
      rows,
      cursor,
      above: this.#top.line + (this.#top.row > 0 ? 1 : 0),
      below: text.lines.length - 1 - last.line + rest,
    };
  }

  #scroll(text: Document, layout: Layout, cursor: TextRow, height: number): void {
    const top = this.#inText(text, layout);
    const lowest = stepUp(text, layout, cursor, height - 1);
    this.#top = isAbove(cursor, top) ? cursor : isAbove(top, lowest) ? lowest : top;
    // Leave no empty rows at the bottom while there is text above.
    const end: TextRow = { line: text.lines.length - 1, row: layout.rows(text.line(text.lines.length - 1)).length - 1 };
    if (end.line - this.#top.line < height) {
      const full = stepUp(text, layout, end, height - 1);
      if (isAbove(full, this.#top)) this.#top = full;
    }
  }

  #inText(text: Document, layout: Layout): TextRow {
    const line = Math.min(this.#top.line, text.lines.length - 1);
    return { line, row: Math.min(this.#top.row, layout.rows(text.line(line)).length - 1) };
  }
}

/** The row above another one; undefined at the start of the text. */
export function above(text: Document, layout: Layout, { line, row }: TextRow): TextRow | undefined {
  if (row > 0) return { line, row: row - 1 };
  return line === 0 ? undefined : { line: line - 1, row: layout.rows(text.line(line - 1)).length - 1 };
}

export function below(text: Document, layout: Layout, { line, row }: TextRow): TextRow | undefined {
  if (row < layout.rows(text.line(line)).length - 1) return { line, row: row + 1 };
  return line === text.lines.length - 1 ? undefined : { line: line + 1, row: 0 };
}

function stepUp(text: Document, layout: Layout, from: TextRow, rows: number): TextRow {
  let place = from;
  for (let step = 0; step < rows; step++) {
    const next = above(text, layout, place);
    if (next === undefined) break;
    place = next;
  }
  return place;
}

const isSameRow = (a: TextRow, b: TextRow): boolean => a.line === b.line && a.row === b.row;
const isAbove = (a: TextRow, b: TextRow): boolean => a.line < b.line || (a.line === b.line && a.row < b.row);

/** The selected range of a line. */
function selectedPart(line: number, selection: readonly [Place, Place] | undefined): readonly [number, number] {
  if (selection === undefined || line < selection[0].line || line > selection[1].line) return [0, 0];
  const [from, to] = selection;
  return [line === from.line ? from.offset : 0, line === to.line ? to.offset : Number.POSITIVE_INFINITY];
}

function spansOf({ clusters }: LineRow, [from, to]: readonly [number, number]): Span[] {
  const spans: { text: string; style?: Style }[] = [];
  let last: Style | undefined;
  for (const { text, shown, offset } of clusters) {
    const own = isMark(text) ? MARK_STYLE : undefined;
    const style = offset >= from && offset < to ? { ...own, inverse: true } : own;
    const open = spans.at(-1);
    if (open !== undefined && sameStyle(style, last)) open.text += shown;
    else spans.push(style === undefined ? { text: shown } : { text: shown, style });
    last = style;
  }
  return spans;
}

const sameStyle = (a: Style | undefined, b: Style | undefined): boolean =>
  a === b || (a?.inverse === b?.inverse && a?.color === b?.color);
