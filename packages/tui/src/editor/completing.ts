// Completion in an editor: when to ask the source, which keys the open list takes, and what they insert.

import { CompletionPopup } from "../completion/popup.ts";
import type { CompletionSource } from "../completion/source.ts";
import type { RenderContext } from "../component.ts";
import type { Document } from "../document/document.ts";
import { withoutMarks } from "../document/marks.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { KeyPress } from "../keys/key.ts";
import type { Row } from "../rows/row.ts";

/** In longer texts, the source is not asked: it would get the whole text after every key. */
const LINES_LIMIT = 500;

interface Parts {
  readonly text: Document;
  readonly source: CompletionSource;
  readonly bindings: Bindings;
  onChange(): void;
}

export class Completing {
  readonly #text: Document;
  readonly #bindings: Bindings;
  readonly #popup: CompletionPopup;

  constructor({ text, source, bindings, onChange }: Parts) {
    this.#text = text;
    this.#bindings = bindings;
    this.#popup = new CompletionPopup(source, onChange);
  }

  get isOpen(): boolean {
    return this.#popup.isOpen;
  }

  render(context: RenderContext): readonly Row[] {
    return this.#popup.render(context);
  }

  /** `isForced` if the user asked for it. */
  ask(isForced: boolean): void {
    if (this.#text.lines.length > LINES_LIMIT) this.#popup.close();
    else this.#popup.ask(this.#text.text, this.#text.index(this.#text.cursor), isForced);
  }

  close(): void {
    this.#popup.close();
  }

  /** "submit" means that the item was taken and the text should be sent. Undefined if the list does not use the key. */
  handle(key: KeyPress): "handled" | "submit" | undefined {
    if (!this.#popup.isOpen) return undefined;
    const isTab = this.#bindings.match(key, "editor") === "tui.input.tab";
    const action = this.#bindings.match(key, "select");
    if (isTab || action === "tui.select.confirm") return this.#accept(isTab);
    if (action === "tui.select.up") this.#popup.move(-1);
    else if (action === "tui.select.down") this.#popup.move(1);
    else if (action === "tui.select.pageUp") this.#popup.page(-1);
    else if (action === "tui.select.pageDown") this.#popup.page(1);
    // Ctrl+C also cancels lists, but here it is for the host's work.
    else if (action === "tui.select.cancel" && key.name === "escape") this.#popup.dismiss();
    else return undefined;
    return "handled";
  }

  /** Enter on an item that is already written out sends the text. */
  #accept(isTab: boolean): "handled" | "submit" | undefined {
    // For Tab, an item that is already written out completes nothing: take the next one.
    if (isTab && this.#isWritten(this.#popup.selected)) this.#popup.move(1);
    const { selected } = this.#popup;
    this.#popup.close();
    if (selected === undefined) return undefined;
    if (!isTab && this.#isWritten(selected)) return undefined;
    const from = this.#text.placeAt(selected.from);
    const to = this.#text.placeAt(selected.to);
    const { value, submits = false } = selected.item;
    this.#text.replace(from, to, withoutMarks(value));
    return submits && !isTab ? "submit" : "handled";
  }

  #isWritten(row: CompletionPopup["selected"]): boolean {
    if (row === undefined) return false;
    const written = this.#text.textBetween(this.#text.placeAt(row.from), this.#text.placeAt(row.to));
    return written.trimEnd() === row.item.value.trimEnd();
  }
}
