// What goes above the live region, once and for good: finished rows of the conversation, and lines of the product's own, which are kept
// apart from one another.

import { EMPTY_ROW, type RenderContext, type Row, rowText, type Span, wrap } from "@lathe/tui";
import type { ConversationRows } from "./screen-view.ts";

interface ScrollbackParts {
  readonly rows: () => ConversationRows | undefined;
  readonly context: () => RenderContext;
  readonly now: () => number;
  /** To the terminal's scrollback. */
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

  line(span: Span): void {
    if (!this.#isAfterLine) this.gap();
    this.#flush();
    // Above a text that goes on for pages, nobody would see it.
    if (this.#parts.rows()?.addBelow(span)) return;
    this.commit(wrap([span], this.#parts.context().columns));
    this.#isAfterLine = true;
  }

  /** Leaves a blank row, unless there is one or nothing is above. */
  gap(): void {
    this.#flush();
    if (!this.#parts.rows()?.isUnfinished && this.endsInText) this.commit([EMPTY_ROW]);
  }

  commit(rows: readonly Row[]): void {
    this.#last = rows.at(-1) ?? this.#last;
    this.#parts.commit(rows);
  }

  /** The conversation has changed. Its final rows are made as it goes on: a frame that made all of them at once would keep keys waiting. */
  streamed(): void {
    const now = this.#parts.now();
    if (now - this.#lookedAt < AHEAD_MS) return;
    this.#ahead.push(...this.#final(this.#parts.context()));
    this.#lookedAt = now;
  }

  /** The unfinished rows. A letter that is typed does not wait until what has streamed in since the last frame is rendered. */
  unfinished(context: RenderContext, isEcho: boolean): readonly Row[] {
    if (isEcho && this.#drawn?.columns === context.columns) return this.#drawn.rows;
    this.#flush(context);
    const rows = this.#parted(this.#parts.rows()?.render(context) ?? []);
    this.#drawn = { columns: context.columns, rows };
    return rows;
  }

  /** What is finished goes up before anything else is written there. */
  #flush(context: RenderContext = this.#parts.context()): void {
    this.#drawn = undefined;
    const rows = this.#parted([...this.#ahead, ...this.#final(context)]);
    this.#ahead = [];
    if (rows.length === 0) return;
    this.commit(rows);
    this.#isAfterLine = false;
  }

  /** A line of the product's own and what happens in the session are not written into one another. */
  #parted(rows: readonly Row[]): readonly Row[] {
    const isParted = !this.#isAfterLine || !this.endsInText;
    return isParted || rows[0] === undefined || rowText(rows[0]) === "" ? rows : [EMPTY_ROW, ...rows];
  }

  #final(context: RenderContext): readonly Row[] {
    return this.#parts.rows()?.finished(context) ?? [];
  }
}
