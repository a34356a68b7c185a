// A list to choose from, in the composer's place.

import { type Row, renderMarkdown, row, rowText, type SelectItem, SelectList, visible, wrap } from "@lathe/tui";
import type { Choice } from "../../../conversation/commands/choice.ts";
import type { ScreenView } from "../screen-view.ts";
import type { Panel } from "./panel-stack.ts";

export function choicePanel<T>(view: ScreenView, choice: Choice<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const found = new Found(choice, (items) => list.setItems(items));
    const previews = new Previews(choice, () => view.screen.changed());
    const initial = choice.items[choice.current ?? -1]?.value;
    const list = new SelectList<T>({
      bindings: view.bindings,
      items: choice.items,
      onSelect: ([value]) => close(value),
      onCancel: () => close(undefined),
      onChange: () => {
        void found.look(list.query);
        view.screen.changed();
      },
      onPoint: (item) => item && choice.moved?.(item.value),
      ...(initial === undefined ? {} : { initial }),
      ...(choice.preview
        ? { preview: ({ value }: { value: T }, columns: number) => previews.rows(value, columns) }
        : {}),
    });
    const component = {
      hint: "enter chooses, esc cancels",
      render: (context: Parameters<typeof list.render>[0]) => [
        row(choice.title, { bold: true }),
        ...list.render(context),
      ],
      handle: (key: Parameters<typeof list.handle>[0]) => list.handle(key),
      get cursor() {
        const { cursor } = list;
        return cursor && { row: cursor.row + 1, column: cursor.column };
      },
    };
    const panel: Panel = { component, byAgent: false, cancel: () => close(undefined) };
    const close = (value: T | undefined): void => {
      view.panels.close(panel);
      if (value === undefined) choice.moved?.(undefined);
      resolve(value);
    };
    view.panels.open(panel);
  });
}

const SHORTEST_WORDS = 2;

/** What a search beyond the labels has found for the words that stand there now. */
class Found<T> {
  readonly #choice: Choice<T>;
  readonly #show: (items: readonly SelectItem<T>[]) => void;
  #words = "";

  constructor(choice: Choice<T>, show: (items: readonly SelectItem<T>[]) => void) {
    this.#choice = choice;
    this.#show = show;
  }

  async look(words: string): Promise<void> {
    const { items, search } = this.#choice;
    if (!search || words === this.#words) return;
    this.#words = words;
    const found = words.trim().length < SHORTEST_WORDS ? [] : await search(words);
    if (words !== this.#words) return;
    const values = new Set(found.map(({ value }) => value));
    const known = new Set(items.map(({ value }) => value));
    // The words count as theirs, so that the list does not leave them out.
    const listed = items.map((item) => (values.has(item.value) ? { ...item, keywords: words } : item));
    const others = found.filter(({ value }) => !known.has(value)).map((item) => ({ ...item, keywords: words }));
    this.#show([...listed, ...others]);
  }
}

/** Texts for the item under the cursor, made once each; until one is there, nothing is shown. */
class Previews<T> {
  readonly #texts = new Map<T, string>();
  readonly #choice: Choice<T>;
  readonly #changed: () => void;

  constructor(choice: Choice<T>, changed: () => void) {
    this.#choice = choice;
    this.#changed = changed;
  }

  rows(value: T, columns: number): readonly Row[] {
    const text = this.#texts.get(value);
    if (text === undefined) void this.#load(value);
    if (text === undefined || text === "") return [];
    if (!this.#choice.previewsMarkdown) return wrap([{ text: visible(text), style: { color: "muted" } }], columns);
    // There is room for few rows: none is left blank.
    return renderMarkdown(text, columns).filter((made) => rowText(made).trim() !== "");
  }

  async #load(value: T): Promise<void> {
    this.#texts.set(value, "");
    this.#texts.set(value, (await this.#choice.preview?.(value)) ?? "");
    this.#changed();
  }
}
