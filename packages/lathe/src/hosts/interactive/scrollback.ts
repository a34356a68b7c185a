// What goes above the live region, once and for good: finished rows of the conversation, and lines of the product's own, which are kept
// apart from one another.

import { EMPTY_ROW, type RenderContext, type Row, rowText, type Span, visible, wrap } from "@lathe/tui";
import type { LineStyle } from "./host-view.ts";
import { LINE_STYLES } from "./live-layout.ts";

/** The conversation as rows. */
export interface ConversationRows {
  /** Gives rows that do not change any more, each once. */
  takeFinished(context: RenderContext): readonly Row[];
  /** The rest: what streams and runs. */
  render(context: RenderContext): readonly Row[];
  /** Something of it is not in the scrollback yet. */
  readonly isUnfinished: boolean;
  /** Adds a line of the product's own below what is not finished; false when there is nothing. */
  addBelow(line: Span): boolean;
}

interface ScrollbackParts {
  readonly rows: ConversationRows;
  readonly context: () => RenderContext;
  readonly now: () => number;
  /** Writes the rows to the terminal's scrollback. */
  readonly commit: (rows: readonly Row[]) => void;
}

/** Between two looks at what has become final. */
const AHEAD_MS = 8;

export class Scrollback {
  readonly #parts: ScrollbackParts;
  /** What stands lowest, and whether it is a line of the product's own. */
  #last: Row | undefined;
  #isAfterLine = false;
  /** The conversation as the last frame had it. */
  #drawn: { readonly columns: number; readonly rows: readonly Row[] } | undefined;
  /** Final rows for the next frame, made before it is due. */
  #ahead: Row[] = [];
  #lookedAt = 0;

  constructor(parts: ScrollbackParts) {
    this.#parts = parts;
  }

  get endsInText(): boolean {
    return this.#last !== undefined && rowText(this.#last) !== "";
  }

  /** Adds a line of the product's own. */
  line(text: string, style?: LineStyle): void {
    const span: Span = { text: visible(text), ...(style === undefined ? {} : { style: LINE_STYLES[style] }) };
    if (!this.#isAfterLine) this.gap();
    this.#flush();
    // Above a text that goes on for pages it would be out of sight.
    if (this.#parts.rows.addBelow(span)) return;
    this.commit(wrap([span], this.#parts.context().columns));
    this.#isAfterLine = true;
  }

  /** Leaves a blank row, unless there is one or nothing is above. */
  gap(): void {
    this.#flush();
    if (!this.#parts.rows.isUnfinished && this.endsInText) this.commit([EMPTY_ROW]);
  }

  commit(rows: readonly Row[]): void {
    this.#last = rows.at(-1) ?? this.#last;
    this.#parts.commit(rows);
  }

  /** Makes the final rows of the conversation as it goes on: a frame that made all of them at once would keep keys waiting. */
  prepare(): void {
    const now = this.#parts.now();
    if (now - this.#lookedAt < AHEAD_MS) return;
    this.#ahead.push(...this.#final(this.#parts.context()));
    this.#lookedAt = now;
  }

  /** The unfinished rows. A letter that is typed does not wait until what has streamed in since the last frame is rendered. */
  renderUnfinished(context: RenderContext, isEcho: boolean): readonly Row[] {
    if (isEcho && this.#drawn?.columns === context.columns) return this.#drawn.rows;
    this.#flush(context);
    const rows = this.#separate(this.#parts.rows.render(context));
    this.#drawn = { columns: context.columns, rows };
    return rows;
  }

  /** What is finished goes up before anything else is written there. */
  #flush(context: RenderContext = this.#parts.context()): void {
    this.#drawn = undefined;
    const rows = this.#separate([...this.#ahead, ...this.#final(context)]);
    this.#ahead = [];
    if (rows.length === 0) return;
    this.commit(rows);
    this.#isAfterLine = false;
  }

  /** A line of the product's own and what happens in the session are not written into one another. */
  #separate(rows: readonly Row[]): readonly Row[] {
    const isSeparate = !this.#isAfterLine || !this.endsInText;
    return isSeparate || rows[0] === undefined || rowText(rows[0]) === "" ? rows : [EMPTY_ROW, ...rows];
  }

  #final(context: RenderContext): readonly Row[] {
    return this.#parts.rows.takeFinished(context);
  }
}
