// What is written above the live region, once and for good: finished rows of the conversation and Lathe's own lines,
// with a blank row between the two.

import { EMPTY_ROW, type RenderContext, type Row, rowText, type Span, visible, wrap } from "@lathe/tui";
import type { LineStyle } from "./host-view.ts";
import { LINE_STYLES } from "./live-layout.ts";

/** The conversation as rows. */
export interface ConversationRows {
  /** Returns rows that no longer change, each once. */
  takeFinished(context: RenderContext): readonly Row[];
  /** Renders the rest: what is streaming or running. */
  render(context: RenderContext): readonly Row[];
  /** Whether part of it is not in the scrollback yet. */
  readonly isUnfinished: boolean;
  /** Adds one of Lathe's own lines below the unfinished rows; false if there are none. */
  addBelow(line: Span): boolean;
}

interface ScrollbackParts {
  readonly rows: ConversationRows;
  readonly context: () => RenderContext;
  readonly now: () => number;
  /** Writes the rows to the terminal's scrollback. */
  readonly commit: (rows: readonly Row[]) => void;
}

/** How often final rows are collected. */
const AHEAD_MS = 8;

export class Scrollback {
  readonly #parts: ScrollbackParts;
  /** The last row, and whether it is one of Lathe's own lines. */
  #last: Row | undefined;
  #isAfterLine = false;
  /** The unfinished rows of the last frame. */
  #drawn: { readonly columns: number; readonly rows: readonly Row[] } | undefined;
  /** Final rows for the next frame, made in advance. */
  #ahead: Row[] = [];
  #lookedAt = 0;

  constructor(parts: ScrollbackParts) {
    this.#parts = parts;
  }

  get endsInText(): boolean {
    return this.#last !== undefined && rowText(this.#last) !== "";
  }

  /** Adds one of Lathe's own lines. */
  line(text: string, style?: LineStyle): void {
    const span: Span = { text: visible(text), ...(style === undefined ? {} : { style: LINE_STYLES[style] }) };
    if (!this.#isAfterLine) this.gap();
    this.#flush();
    // Above unfinished text that goes on for pages, the line would be out of sight.
    if (this.#parts.rows.addBelow(span)) return;
    this.commit(wrap([span], this.#parts.context().columns));
    this.#isAfterLine = true;
  }

  /** Adds a blank row, unless there already is one or nothing is above. */
  gap(): void {
    this.#flush();
    if (!this.#parts.rows.isUnfinished && this.endsInText) this.commit([EMPTY_ROW]);
  }

  commit(rows: readonly Row[]): void {
    this.#last = rows.at(-1) ?? this.#last;
    this.#parts.commit(rows);
  }

  /** Makes final rows while the conversation goes on: making all of them in one frame would delay keys. */
  prepare(): void {
    const now = this.#parts.now();
    if (now - this.#lookedAt < AHEAD_MS) return;
    this.#ahead.push(...this.#final(this.#parts.context()));
    this.#lookedAt = now;
  }

  /**
   * The unfinished rows. An echo of a typed character does not wait for the rendering of what has streamed in since the
   * last frame.
   */
  renderUnfinished(context: RenderContext, isEcho: boolean): readonly Row[] {
    if (isEcho && this.#drawn?.columns === context.columns) return this.#drawn.rows;
    this.#flush(context);
    const rows = this.#separate(this.#parts.rows.render(context));
    this.#drawn = { columns: context.columns, rows };
    return rows;
  }

  /** Writes finished rows before anything else is written. */
  #flush(context: RenderContext = this.#parts.context()): void {
    this.#drawn = undefined;
    const rows = this.#separate([...this.#ahead, ...this.#final(context)]);
    this.#ahead = [];
    if (rows.length === 0) return;
    this.commit(rows);
    this.#isAfterLine = false;
  }

  /** Keeps a blank row between Lathe's own lines and the conversation. */
  #separate(rows: readonly Row[]): readonly Row[] {
    const isSeparate = !this.#isAfterLine || !this.endsInText;
    return isSeparate || rows[0] === undefined || rowText(rows[0]) === "" ? rows : [EMPTY_ROW, ...rows];
  }

  #final(context: RenderContext): readonly Row[] {
    return this.#parts.rows.takeFinished(context);
  }
}
