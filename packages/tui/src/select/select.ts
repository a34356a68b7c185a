// A list to choose from: search as you type, pages, disabled rows with a reason, one or several choices, a preview of
// the row at the pointer.

import type { CursorPlace, Focusable, RenderContext } from "../component.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Key, KeyPress } from "../keys/key.ts";
import { LinePrompt } from "../prompt/line-prompt.ts";
import { beside, cutRow } from "../rows/beside.ts";
import type { Row } from "../rows/row.ts";
import { visible, visibleLine } from "../rows/visible.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { row, rowOf, wrap } from "../rows/wrap.ts";
import { fuzzyFilter } from "./fuzzy.ts";

export interface SelectItem<T> {
  readonly value: T;
  readonly label: string;
  /** Text next to the label. */
  readonly detail?: string | undefined;
  /** Shown below the list while the pointer is on it. */
  readonly description?: string | undefined;
  /** Why it cannot be chosen. */
  readonly disabled?: string | undefined;
  /** More words that the search matches. */
  readonly keywords?: string | undefined;
  /** The letter that chooses it, in a list without search. */
  readonly key?: string | undefined;
}

export interface SelectOptions<T> {
  readonly bindings: Bindings;
  readonly items: readonly SelectItem<T>[];
  /** The chosen value, or all marked values in a list with several choices. */
  onSelect(values: readonly T[]): void;
  onCancel?(): void;
  onChange?(): void;
  /** Called when the pointer moves to another row. */
  onPoint?(item: SelectItem<T> | undefined): void;
  readonly isMultiple?: boolean;
  /** Values marked at the start, in a list with several choices. */
  readonly marked?: readonly T[];
  /** Where the pointer starts. */
  readonly initial?: T;
  /** Whether typing narrows the list; true by default. */
  readonly search?: boolean;
  readonly placeholder?: string;
  readonly empty?: string;
  readonly maxRows?: number;
  preview?(item: SelectItem<T>, columns: number): readonly Row[];
}

/** From this width on, the preview is next to the list, otherwise below it. */
const PREVIEW_COLUMNS = 90;
const PREVIEW_ROWS = 8;
/** The list's minimum height, however small the terminal. */
const LEAST_ROWS = 3;

export class SelectList<T> implements Focusable {
  readonly #options: SelectOptions<T>;
  readonly #search: LinePrompt | undefined;
  readonly #marked: Set<T>;
  #items: readonly SelectItem<T>[];
  #shown: readonly SelectItem<T>[];
  #at = 0;
  #first = 0;
  #height = 10;

  constructor(options: SelectOptions<T>) {
    this.#options = options;
    this.#items = options.items;
    this.#shown = options.items;
    this.#marked = new Set(options.marked ?? []);
    const { bindings, placeholder = "type to search" } = options;
    const label = [{ text: "/ ", style: { color: "muted" } }];
    if (options.search ?? true) {
      this.#search = new LinePrompt({ bindings, label, placeholder, onChange: () => this.#narrow() });
    }
    const initial = this.#items.findIndex(({ value }) => value === options.initial);
    this.#at = initial >= 0 ? initial : this.#firstChoosable();
  }

  get current(): SelectItem<T> | undefined {
    return this.#shown[this.#at];
  }

  get query(): string {
    return this.#search?.text ?? "";
  }

  /** The marked values of a list with several choices. */
  get marked(): readonly T[] {
    return this.#items.filter(({ value }) => this.#marked.has(value)).map(({ value }) => value);
  }

  get cursor(): CursorPlace | undefined {
    return this.#search?.cursor;
  }

  /** Keeps the pointer on its value if it still exists. */
  setItems(items: readonly SelectItem<T>[]): void {
    const value = this.current?.value;
    this.#items = items;
    this.#shown = this.#matchItems();
    const kept = this.#shown.findIndex((item) => item.value === value);
    this.#at = kept >= 0 ? kept : Math.max(0, Math.min(this.#at, this.#shown.length - 1));
    this.#options.onChange?.();
  }

  handle(key: Key): boolean {
    if (key.kind === "focus") return false;
    const before = this.current;
    const isHandled = (key.kind === "key" && this.#press(key)) || (this.#search?.handle(key) ?? false);
    if (this.current !== before) this.#options.onPoint?.(this.current);
    if (isHandled) this.#options.onChange?.();
    return isHandled;
  }

  render(context: RenderContext): readonly Row[] {
    const search = this.#search?.render(context) ?? [];
    const { preview, maxRows } = this.#options;
    const isBeside = preview !== undefined && context.columns >= PREVIEW_COLUMNS;
    const previewRows = Math.min(PREVIEW_ROWS, context.rows - search.length - 3 - LEAST_ROWS - 1);
    const isBelow = preview !== undefined && !isBeside && previewRows > 0;
    const height = context.rows - search.length - 3 - (isBelow ? previewRows + 1 : 0);
    this.#height = Math.max(LEAST_ROWS, Math.min(maxRows ?? 12, height));
    const columns = isBeside ? Math.floor(context.columns / 2) : context.columns;
    const list = this.#list({ ...context, columns });
    const { current } = this;
    if (current === undefined || preview === undefined || !(isBeside || isBelow)) return [...search, ...list];
    const rule = { text: isBeside ? ` ${context.symbols.ruleVertical} ` : "", style: { color: "borderMuted" } };
    if (isBeside) {
      const room = context.columns - columns - widthOf(rule.text);
      const rows = preview(current, room).map((line) => cutRow(line, room));
      return [...search, ...beside(list, rows.slice(0, Math.max(list.length, this.#height)), columns, rule)];
    }
    const line = row(context.symbols.ruleHorizontal.repeat(columns), rule.style);
    return [
      ...search,
      ...list,
      line,
      ...preview(current, columns)
        .slice(0, previewRows)
        .map((row) => cutRow(row, columns)),
    ];
  }

  #press(key: KeyPress): boolean {
    const { bindings } = this.#options;
    switch (bindings.match(key, "select")) {
      case "tui.select.up":
        return this.#move(-1, "around");
      case "tui.select.down":
        return this.#move(1, "around");
      case "tui.select.pageUp":
        return this.#move(-this.#height, "stop");
      case "tui.select.pageDown":
        return this.#move(this.#height, "stop");
      case "tui.select.first":
        return this.query === "" && this.#move(-this.#shown.length, "stop");
      case "tui.select.last":
        return this.query === "" && this.#move(this.#shown.length, "stop");
      case "tui.select.confirm":
        return this.#confirm();
      case "tui.select.toggle":
        return this.#toggle();
      case "tui.select.cancel":
        this.#options.onCancel?.();
        return this.#options.onCancel !== undefined;
    }
    if (this.#search !== undefined || key.text === undefined) return false;
    if (key.name === "space") return this.#toggle();
    const chosen = this.#shown.findIndex((item) => item.key === key.text);
    if (chosen < 0) return false;
    this.#at = chosen;
    return this.#options.isMultiple ? this.#toggle() : this.#confirm();
  }

  #move(by: number, atEnd: "around" | "stop"): boolean {
    const count = this.#shown.length;
    if (count === 0) return true;
    const next = this.#at + by;
    this.#at = atEnd === "around" ? (next + count) % count : Math.max(0, Math.min(count - 1, next));
    return true;
  }

  #toggle(): boolean {
    const { current } = this;
    if (!this.#options.isMultiple) return false;
    if (current === undefined || current.disabled !== undefined) return true;
    if (!this.#marked.delete(current.value)) this.#marked.add(current.value);
    return true;
  }

  /** A disabled row shows its reason and is not chosen. */
  #confirm(): boolean {
    const { current } = this;
    if (this.#options.isMultiple) this.#options.onSelect(this.marked);
    else if (current !== undefined && current.disabled === undefined) this.#options.onSelect([current.value]);
    return true;
  }

  #narrow(): void {
    this.#shown = this.#matchItems();
    this.#at = this.#firstChoosable();
    this.#first = 0;
  }

  #matchItems(): readonly SelectItem<T>[] {
    return fuzzyFilter(
      this.query,
      this.#items,
      ({ label, detail = "", keywords = "" }) => `${label} ${keywords} ${detail}`,
    );
  }

  #firstChoosable(): number {
    return Math.max(
      0,
      this.#shown.findIndex(({ disabled }) => disabled === undefined),
    );
  }

  #list(context: RenderContext): Row[] {
    const { columns } = context;
    if (this.#shown.length === 0) {
      return [
        row(shorten(`  ${this.#items.length === 0 ? (this.#options.empty ?? "nothing here") : "no match"}`, columns), {
          color: "dim",
        }),
      ];
    }
    const height = Math.min(this.#height, this.#shown.length);
    this.#first = Math.max(0, Math.min(this.#first, this.#at, this.#shown.length - height));
    if (this.#at >= this.#first + height) this.#first = this.#at - height + 1;
    const page = this.#shown.slice(this.#first, this.#first + height);
    const labels = Math.min(
      Math.max(...page.map(({ label }) => widthOf(visibleLine(label)))),
      Math.floor(columns * 0.6),
    );
    const rows = page.map((item, index) => this.#row(item, this.#first + index === this.#at, labels, context));
    const notes: Row[] = [];
    if (this.#shown.length > height) notes.push(row(`  ${this.#at + 1}/${this.#shown.length}`, { color: "dim" }));
    const note = this.current?.disabled ?? this.current?.description;
    if (note !== undefined && note !== "") {
      const color = this.current?.disabled === undefined ? "muted" : "warning";
      notes.push(
        ...wrap([{ text: visibleLine(note), style: { color } }], columns, {
          first: [{ text: "  " }],
          rest: [{ text: "  " }],
        }),
      );
    }
    return [...rows, ...notes];
  }

  #row(item: SelectItem<T>, isCurrent: boolean, labels: number, { columns, symbols }: RenderContext): Row {
    const { isMultiple = false } = this.#options;
    const pointer = `${isCurrent ? symbols.pointer : " ".repeat(widthOf(symbols.pointer))} `;
    const box = isMultiple ? `${this.#marked.has(item.value) ? symbols.checked : symbols.unchecked} ` : "";
    const lead = widthOf(pointer) + widthOf(box);
    // Keep its blanks: they may align columns.
    const detail = visible(item.detail ?? "").replaceAll("\n", " ");
    const label = shorten(
      visibleLine(item.label),
      Math.max(1, detail === "" ? columns - lead : Math.min(labels, columns - lead)),
    );
    const room = columns - lead - labels - 2;
    const isShown = detail !== "" && room >= 4;
    const style = item.disabled !== undefined ? { color: "dim" } : isCurrent ? { color: "accent", bold: true } : {};
    return rowOf(
      { text: pointer, style: { color: "accent" } },
      { text: box, style: { color: this.#marked.has(item.value) ? "success" : "muted" } },
      { text: label, style },
      { text: isShown ? " ".repeat(Math.max(0, labels - widthOf(label)) + 2) : "" },
      { text: isShown ? shorten(detail, room) : "", style: { color: item.disabled === undefined ? "muted" : "dim" } },
    );
  }
}
