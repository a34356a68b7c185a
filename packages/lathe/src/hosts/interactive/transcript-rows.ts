// The conversation as rows for the screen: the transcript, and below it the current activity.

import { elapsedTime, type RenderContext, type Row, row, rowOf, type Span, shorten } from "@lathe/tui";
import type { Machine } from "../../platform/machine/machine.ts";
import type { ConversationRows } from "./scrollback.ts";
import type { Transcript } from "./transcript/transcript.ts";

const TICK_MS = 1_000;

export interface TranscriptRowsParts {
  readonly transcript: Transcript;
  readonly setTimer: Machine["deps"]["setTimer"];
  onChange(): void;
}

export class TranscriptRows implements ConversationRows {
  readonly #parts: TranscriptRowsParts;
  #ticking: { cancel(): void } | undefined;

  constructor(parts: TranscriptRowsParts) {
    this.#parts = parts;
  }

  takeFinished(context: RenderContext): readonly Row[] {
    return this.#parts.transcript.takeFinished(context);
  }

  render(context: RenderContext): readonly Row[] {
    return [...this.#parts.transcript.render(context), ...this.#activity(context)];
  }

  get isUnfinished(): boolean {
    return this.#parts.transcript.isUnfinished;
  }

  addBelow(line: Span): boolean {
    return this.#parts.transcript.addBelow(line);
  }

  /** Updates running times once a second, as long as there are any. */
  tick(): void {
    const { transcript, setTimer, onChange } = this.#parts;
    if (this.#ticking || !transcript.ticks) return;
    this.#ticking = setTimer(() => {
      this.#ticking = undefined;
      onChange();
      this.tick();
    }, TICK_MS);
  }

  #activity({ columns, symbols, now }: RenderContext): readonly Row[] {
    const { activity } = this.#parts.transcript;
    if (!activity) return [];
    const seconds = Math.floor((now - activity.since) / 1000);
    const frame = symbols.spinner[seconds % symbols.spinner.length] ?? "";
    const end = `  ${elapsedTime(now - activity.since)} · esc to interrupt`;
    return [
      row(""),
      rowOf(
        { text: `${frame} `, style: { color: "accent" } },
        { text: shorten(activity.text, Math.max(1, columns - end.length - 2)) },
        { text: end, style: { color: "dim" } },
      ),
    ];
  }
}
