// The list of completions below an editor: asks the source as the text changes, and ignores answers that come too late.

import type { RenderContext } from "../component.ts";
import type { Row } from "../rows/row.ts";
import { visibleLine } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { row, rowOf } from "../rows/wrap.ts";
import type { Completion, CompletionItem, CompletionSource } from "./source.ts";

const SHOWN = 8;

export class CompletionPopup {
  readonly #source: CompletionSource;
  readonly #onChange: () => void;
  #request: AbortController | undefined;
  #completion: Completion | undefined;
  #problem: string | undefined;
  #selected = 0;
  /** Where the user closed the list: it stays closed until something else is completed, or Tab asks for it. */
  #dismissedAt: number | undefined;

  constructor(source: CompletionSource, onChange: () => void) {
    this.#source = source;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return (this.#completion?.items.length ?? 0) > 0;
  }

  get selected(): { readonly item: CompletionItem; readonly from: number; readonly to: number } | undefined {
    const item = this.#completion?.items[this.#selected];
    return this.#completion === undefined || item === undefined ? undefined : { ...this.#completion, item };
  }

  /** `isForced` if the user asked for it. The current list stays until the answer comes, unless it no longer fits. */
  ask(text: string, cursor: number, isForced: boolean): void {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    if (isForced) this.#dismissedAt = undefined;
    if (this.#completion !== undefined && cursor < this.#completion.from) this.#completion = undefined;
    this.#source.complete(text, cursor, request.signal).then(
      (answer) => {
        if (this.#request === request) this.#show(answer);
      },
      (error: unknown) => {
        if (this.#request !== request) return;
        this.#completion = undefined;
        this.#problem = error instanceof Error ? error.message : String(error);
        this.#onChange();
      },
    );
  }

  /** Closes the list and cancels a pending request. */
  close(): void {
    this.#request?.abort();
    this.#request = undefined;
    this.#completion = undefined;
    this.#problem = undefined;
    this.#dismissedAt = undefined;
  }

  dismiss(): void {
    const from = this.#completion?.from;
    this.close();
    this.#dismissedAt = from;
  }

  move(by: number): void {
    const count = this.#completion?.items.length ?? 0;
    if (count > 0) this.#selected = (((this.#selected + by) % count) + count) % count;
  }

  page(by: 1 | -1): void {
    const count = this.#completion?.items.length ?? 0;
    this.#selected = Math.max(0, Math.min(count - 1, this.#selected + by * SHOWN));
  }

  render({ columns, symbols, rows }: RenderContext): readonly Row[] {
    if (this.#problem !== undefined) {
      return [row(shorten(`  completion failed: ${visibleLine(this.#problem)}`, columns), { color: "error" })];
    }
    const items = this.#completion?.items ?? [];
    const height = Math.max(1, Math.min(SHOWN, Math.floor(rows / 2)));
    const first = Math.max(0, Math.min(this.#selected - Math.floor(height / 2), items.length - height));
    const shown = items.slice(first, first + height).map((item) => ({
      label: visibleLine(item.label),
      detail: visibleLine(item.detail ?? ""),
    }));
    const pointer = `${symbols.pointer} `;
    const indent = widthOf(pointer);
    const widest = Math.max(0, ...shown.map(({ label }) => widthOf(label)));
    const labels = shown.every(({ detail }) => detail === "")
      ? columns - indent
      : Math.min(widest, Math.floor(columns / 2));
    const made = shown.map(({ label, detail }, index) => {
      const isSelected = first + index === this.#selected;
      const name = shorten(label, Math.min(labels, columns - indent));
      const room = columns - indent - labels - 2;
      const gap = detail === "" || room < 4 ? "" : " ".repeat(labels - widthOf(name) + 2);
      return rowOf(
        { text: isSelected ? pointer : " ".repeat(indent), style: { color: "accent" } },
        { text: name, style: isSelected ? { color: "accent", bold: true } : {} },
        { text: gap },
        { text: gap === "" ? "" : shorten(detail, room), style: { color: "muted" } },
      );
    });
    const place = items.length <= height ? "" : `${this.#selected + 1}/${items.length}`;
    const below = [place, visibleLine(this.#completion?.remark ?? "")].filter((part) => part !== "").join("  ");
    return below === "" ? made : [...made, row(shorten(`${" ".repeat(indent)}${below}`, columns), { color: "dim" })];
  }

  #show(answer: Completion | undefined): void {
    this.#problem = undefined;
    const says = answer !== undefined && (answer.items.length > 0 || answer.remark !== undefined);
    const isWanted = says && answer.from !== this.#dismissedAt;
    if (answer?.from !== this.#dismissedAt) this.#dismissedAt = undefined;
    // The same item stays selected while the list narrows, if the user has moved the selection.
    const kept = this.#selected === 0 ? undefined : this.#completion?.items[this.#selected]?.value;
    this.#completion = isWanted ? answer : undefined;
    this.#selected = Math.max(0, answer?.items.findIndex(({ value }) => value === kept) ?? 0);
    this.#onChange();
  }
}
