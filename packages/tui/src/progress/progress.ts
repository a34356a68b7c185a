// How much of something is done, as a bar.

import type { Component, RenderContext } from "../component.ts";
import type { Row, Span, Style } from "../rows/row.ts";
import { visibleLine } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { rowOf } from "../rows/wrap.ts";
import type { Symbols } from "../theme/symbols.ts";

const FULL: Style = { color: "accent" };
const EMPTY: Style = { color: "borderMuted" };
const BAR_COLUMNS = 24;

/** `share` from 0 to 1. Anything begun shows at least one step, and only what is done is full. */
export function barSpans(share: number, columns: number, symbols: Symbols, full: Style = FULL): Span[] {
  const known = Number.isFinite(share) ? Math.max(0, Math.min(1, share)) : 0;
  const exact = Math.floor(known * columns);
  const steps = known > 0 ? Math.max(1, exact) : 0;
  return [
    { text: symbols.barFull.repeat(steps), style: full },
    { text: symbols.barEmpty.repeat(columns - steps), style: EMPTY },
  ].filter(({ text }) => text !== "");
}

/** A label, the bar, and how many of how many. */
export class ProgressBar implements Component {
  readonly #label: string;
  #done = 0;
  #total: number;
  #made: { readonly rows: readonly Row[]; readonly key: string } | undefined;

  constructor(label: string, total: number) {
    this.#label = visibleLine(label);
    this.#total = total;
  }

  set(done: number, total = this.#total): void {
    this.#done = done;
    this.#total = total;
  }

  render({ columns, symbols }: RenderContext): readonly Row[] {
    const counts = ` ${this.#done}/${this.#total}`;
    const key = `${columns} ${counts} ${symbols.barFull}`;
    if (this.#made?.key !== key) this.#made = { key, rows: [this.#row(columns, counts, symbols)] };
    return this.#made.rows;
  }

  /** In a narrow place the bar goes before the numbers do. */
  #row(columns: number, counts: string, symbols: Symbols): Row {
    const bar = Math.min(BAR_COLUMNS, columns - widthOf(counts) - Math.min(widthOf(this.#label), 12) - 1);
    const room = columns - widthOf(counts) - (bar >= 4 ? bar + 1 : 0);
    const label = shorten(this.#label, Math.max(0, room), symbols.ellipsis);
    const bars = bar >= 4 ? [{ text: " " }, ...barSpans(this.#done / this.#total, bar, symbols)] : [];
    return rowOf({ text: label }, ...bars, {
      text: shorten(counts, columns, symbols.ellipsis),
      style: { color: "muted" },
    });
  }
}
