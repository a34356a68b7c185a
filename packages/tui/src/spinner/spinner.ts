// A sign that something is under way. Which frame is shown depends on the time alone, so any number of spinners keep step.

import type { Component, RenderContext } from "../component.ts";
import type { Row, Span, Style } from "../rows/row.ts";

type Moment = Pick<RenderContext, "now" | "symbols">;

export function spinnerFrame({ now, symbols }: Moment): string {
  const { spinner, spinnerMs } = symbols;
  return spinner[Math.floor(now / spinnerMs) % spinner.length] ?? "";
}

/** Milliseconds until the next frame: nothing needs to be painted before. */
export const untilNextFrame = ({ now, symbols }: Moment): number => symbols.spinnerMs - (now % symbols.spinnerMs);

/** The spinner with a text beside it. */
export class Spinner implements Component {
  #text: readonly Span[] = [];
  readonly #style: Style;
  #made: { readonly rows: readonly Row[]; readonly frame: string; readonly text: readonly Span[] } | undefined;

  constructor(style: Style = { color: "accent" }) {
    this.#style = style;
  }

  set text(spans: readonly Span[]) {
    this.#text = spans;
  }

  render(context: RenderContext): readonly Row[] {
    const frame = spinnerFrame(context);
    if (this.#made?.frame !== frame || this.#made.text !== this.#text) {
      const spans = [
        { text: frame, style: this.#style },
        ...(this.#text.length > 0 ? [{ text: " " }, ...this.#text] : []),
      ];
      this.#made = { rows: [{ spans }], frame, text: this.#text };
    }
    return this.#made.rows;
  }
}
