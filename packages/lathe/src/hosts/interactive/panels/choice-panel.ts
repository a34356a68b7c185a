// A list to choose from, in place of the composer.

import { messageOf } from "@lathe/llm";
import {
  type Key,
  type Row,
  renderMarkdown,
  row,
  rowText,
  type SelectItem,
  SelectList,
  shorten,
  visible,
  wrap,
} from "@lathe/tui";
import type { Choice, ChoiceAction, CommandView } from "../../../conversation/commands/command-view.ts";
import type { PanelPlace } from "./panel-place.ts";
import type { Panel } from "./panel-stack.ts";

/** What the list needs of its host. Actions on items may ask for more. */
export type ChoicePlace = PanelPlace & Required<Pick<CommandView, "ask" | "choose">>;

/** `signal` closes the list without a choice. */
export function choicePanel<T>(place: ChoicePlace, choice: Choice<T>, signal?: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const found = new SearchResults(choice, (items) => list.setItems(items));
    const previews = new Previews(choice, () => place.onChange());
    const initial = choice.items[choice.current ?? -1]?.value;
    const list = new SelectList<T>({
      bindings: place.bindings,
      items: choice.items,
      onSelect: ([value]) => close(value),
      onCancel: () => close(undefined),
      onChange: () => {
        void found.searchFor(list.query);
        place.onChange();
      },
      onPoint: (item) => item && choice.onMove?.(item.value),
      ...(initial === undefined ? {} : { initial }),
      ...(choice.preview
        ? { preview: ({ value }: { value: T }, columns: number) => previews.rows(value, columns) }
        : {}),
    });
    const actions = new ItemActions(choice, place, (items) => {
      found.items = items;
      list.setItems(items);
    });
    const component = {
      hint: ["Enter to choose", ...actions.hints, "Esc to cancel"].join(" · "),
      render: (context: Parameters<typeof list.render>[0]) => [
        row(shorten(choice.title, context.columns), { bold: true }),
        ...list.render(context),
      ],
      handle: (key: Key) => actions.handle(key, list.current?.value) || list.handle(key),
      get cursor() {
        const { cursor } = list;
        return cursor && { row: cursor.row + 1, column: cursor.column };
      },
    };
    const panel: Panel = { component, byAgent: false, cancel: () => close(undefined) };
    const close = (value: T | undefined): void => {
      place.panels.close(panel);
      signal?.removeEventListener("abort", giveUp);
      if (value === undefined) choice.onMove?.(undefined);
      resolve(value);
    };
    const giveUp = (): void => close(undefined);
    signal?.addEventListener("abort", giveUp, { once: true });
    place.panels.open(panel);
  });
}

const SHORTEST_WORDS = 2;

/** Results of a search beyond the labels, for the typed words. */
class SearchResults<T> {
  readonly #choice: Choice<T>;
  readonly #show: (items: readonly SelectItem<T>[]) => void;
  items: readonly SelectItem<T>[];
  #words = "";

  constructor(choice: Choice<T>, show: (items: readonly SelectItem<T>[]) => void) {
    this.#choice = choice;
    this.#show = show;
    this.items = choice.items;
  }

  async searchFor(words: string): Promise<void> {
    const { search } = this.#choice;
    if (!search || words === this.#words) return;
    this.#words = words;
    const found = words.trim().length < SHORTEST_WORDS ? [] : await search(words);
    if (words !== this.#words) return;
    const { items } = this;
    const values = new Set(found.map(({ value }) => value));
    const known = new Set(items.map(({ value }) => value));
    // Found items get the words as keywords, so that the list's own filter keeps them.
    const listed = items.map((item) => (values.has(item.value) ? { ...item, keywords: words } : item));
    const others = found.filter(({ value }) => !known.has(value)).map((item) => ({ ...item, keywords: words }));
    this.#show([...listed, ...others]);
  }
}

/** Keys that change the selected item. */
class ItemActions<T> {
  readonly #choice: Choice<T>;
  readonly #place: ChoicePlace;
  readonly #show: (items: readonly SelectItem<T>[]) => void;
  #isRunning = false;

  constructor(choice: Choice<T>, place: ChoicePlace, show: (items: readonly SelectItem<T>[]) => void) {
    this.#choice = choice;
    this.#place = place;
    this.#show = show;
  }

  get hints(): readonly string[] {
    const { bindings } = this.#place;
    return (this.#choice.actions ?? []).flatMap(({ name, does }) => {
      const [chord] = bindings.chords(`app.list.${name}`);
      return chord === undefined || does === undefined ? [] : `${chord} ${does}`;
    });
  }

  handle(key: Key, value: T | undefined): boolean {
    const id = key.kind === "key" ? this.#place.bindings.match(key, "list") : undefined;
    const action = this.#choice.actions?.find(({ name }) => id === `app.list.${name}`);
    if (!action) return false;
    if ((value !== undefined || action.isForList) && !this.#isRunning) void this.#run(action, value as T);
    return true;
  }

  async #run(action: ChoiceAction<T>, value: T): Promise<void> {
    this.#isRunning = true;
    try {
      this.#show(await action.run(value, this.#place));
    } catch (error) {
      this.#place.hint((error as Error).message);
    } finally {
      this.#isRunning = false;
    }
  }
}

/** Loads each item's preview once; until it is loaded, nothing is shown. */
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
    // There is room for few rows, so blank ones are dropped.
    return renderMarkdown(text, columns).filter((made) => rowText(made).trim() !== "");
  }

  async #load(value: T): Promise<void> {
    this.#texts.set(value, "");
    // The previewed file, such as a session's, may be gone by now.
    const preview = async (): Promise<string> => (await this.#choice.preview?.(value)) ?? "";
    this.#texts.set(value, await preview().catch(messageOf));
    this.#changed();
  }
}
