// One row of tabs. When they do not fit, the ones around the current tab are shown.

import type { Focusable, RenderContext } from "../component.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Key } from "../keys/key.ts";
import type { Row, Span } from "../rows/row.ts";
import { visibleLine } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { rowOf } from "../rows/wrap.ts";

export interface Tab {
  readonly id: string;
  readonly label: string;
}

const GAP = "  ";

export class Tabs implements Focusable {
  readonly tabs: readonly Tab[];
  readonly #bindings: Bindings;
  readonly #onChange: (tab: Tab) => void;
  #at = 0;

  constructor({
    tabs,
    bindings,
    onChange,
  }: { readonly tabs: readonly Tab[]; readonly bindings: Bindings; onChange(tab: Tab): void }) {
    this.tabs = tabs;
    this.#bindings = bindings;
    this.#onChange = onChange;
  }

  get current(): Tab | undefined {
    return this.tabs[this.#at];
  }

  select(id: string): void {
    this.#go(this.tabs.findIndex((tab) => tab.id === id));
  }

  handle(key: Key): boolean {
    if (key.kind !== "key" || this.tabs.length === 0) return false;
    const action = this.#bindings.match(key, "tabs");
    if (action === undefined) return false;
    this.#go((this.#at + (action === "tui.tabs.next" ? 1 : -1) + this.tabs.length) % this.tabs.length);
    return true;
  }

  render({ columns, symbols }: RenderContext): readonly Row[] {
    const labels = this.tabs.map(({ label }) => shorten(visibleLine(label), Math.max(1, columns - 4)));
    const { first, last } = this.#inSight(labels, columns);
    const more = (isCut: boolean): Span => ({ text: isCut ? symbols.ellipsis : "", style: { color: "dim" } });
    const spans = labels.slice(first, last + 1).flatMap((text, index): Span[] => {
      const isCurrent = first + index === this.#at;
      const style = isCurrent ? { color: "accent", bold: true, underline: true } : { color: "muted" };
      return [{ text: index === 0 ? "" : GAP }, { text, style }];
    });
    return [rowOf(more(first > 0), ...spans, more(last < labels.length - 1))];
  }

  /** The widest run of tabs around the current one that fits, with room for the signs of what is cut. */
  #inSight(labels: readonly string[], columns: number): { first: number; last: number } {
    const fits = (first: number, last: number): boolean =>
      labels.slice(first, last + 1).reduce((sum, label) => sum + widthOf(label) + GAP.length, -GAP.length) <=
      columns - (first > 0 ? 1 : 0) - (last < labels.length - 1 ? 1 : 0);
    let first = this.#at;
    let last = this.#at;
    for (let grown = true; grown; ) {
      grown = false;
      if (last < labels.length - 1 && fits(first, last + 1)) {
        last++;
        grown = true;
      }
      if (first > 0 && fits(first - 1, last)) {
        first--;
        grown = true;
      }
    }
    return { first, last };
  }

  #go(index: number): void {
    const tab = this.tabs[index];
    if (tab === undefined || index === this.#at) return;
    this.#at = index;
    this.#onChange(tab);
  }
}
