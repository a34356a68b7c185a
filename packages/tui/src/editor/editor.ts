// The multi-line editor. It owns the text and the keys of the "editor" context; the host sends the text, provides
// completions and stores earlier prompts.

import type { CompletionSource } from "../completion/source.ts";
import type { CursorPlace, Focusable, RenderContext } from "../component.ts";
import { EditCommands } from "../document/commands.ts";
import { Document } from "../document/document.ts";
import { Layout } from "../document/layout.ts";
import { type Mark, withoutMarks } from "../document/marks.ts";
import { isSame, START } from "../document/place.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Key, KeyPress } from "../keys/key.ts";
import type { Row, Span } from "../rows/row.ts";
import { shorten, widthOf } from "../rows/width.ts";
import { rowOf } from "../rows/wrap.ts";
import { Completing } from "./completing.ts";
import { type History, HistoryWalk } from "./history.ts";
import { placeOfCharacter, placeRowsAway } from "./motion.ts";
import { Viewport } from "./viewport.ts";
import { VimKeys, type VimMode } from "./vim.ts";

export interface EditorOptions {
  readonly bindings: Bindings;
  /** Gets the text with its pastes expanded. The editor keeps it until the host calls `clear`. */
  onSubmit(text: string): void;
  /** Called when the display has changed. */
  onChange?(): void;
  readonly completion?: CompletionSource;
  readonly placeholder?: string;
  readonly vim?: boolean;
  readonly history?: History;
  /** Maximum number of text rows; by default a third of the terminal. */
  readonly maxRows?: number;
  readonly prompt?: readonly Span[];
}

export class Editor implements Focusable {
  /** May be changed at any time. */
  placeholder: string;
  prompt: readonly Span[];
  readonly #options: EditorOptions;
  readonly #text = new Document();
  readonly #commands = new EditCommands(this.#text);
  readonly #viewport = new Viewport();
  readonly #completing: Completing | undefined;
  readonly #walk: HistoryWalk | undefined;
  #vim: VimKeys | undefined;
  #layout = new Layout(80, this.#commands.marks);
  #height = 10;
  /** The column that vertical movement tries to keep. */
  #goal: number | undefined;
  /** This key took the text from the history, so nothing is completed and the walk continues. */
  #isRecalled = false;
  #jump: "forward" | "backward" | undefined;
  #made:
    | { readonly rows: readonly Row[]; readonly columns: number; readonly height: number; readonly symbols: object }
    | undefined;
  #cursor: CursorPlace = { row: 0, column: 0 };
  #hidden = { above: 0, below: 0 };

  constructor(options: EditorOptions) {
    this.#options = options;
    this.placeholder = options.placeholder ?? "";
    this.prompt = options.prompt ?? [];
    const { completion: source, bindings } = options;
    this.#completing =
      source && new Completing({ text: this.#text, source, bindings, onChange: () => this.#afterChange() });
    this.#walk = options.history && new HistoryWalk(options.history);
    this.usesVim = options.vim ?? false;
  }

  /** The text with the labels of marks; `value` has their contents. */
  get text(): string {
    return this.#commands.marks.label(this.#text.text);
  }

  /** Sets text that was edited outside; labels of attachments become those attachments again. */
  replaceText(text: string): void {
    this.#replaceAll(this.#commands.marks.reattach(withoutMarks(text), this.#text.text));
    this.#walk?.leave();
    this.#afterChange();
  }

  /** Sets the text as one undo step, with the cursor at the end. */
  set text(text: string) {
    this.#replaceAll(withoutMarks(text));
    this.#walk?.leave();
    this.#afterChange();
  }

  value(): string {
    return this.#commands.marks.expand(this.#text.text);
  }

  get isEmpty(): boolean {
    return this.#text.isEmpty;
  }

  get cursor(): CursorPlace {
    return this.#cursor;
  }

  /** Lines hidden above and below, after the last `render`. */
  get hidden(): { readonly above: number; readonly below: number } {
    return this.#hidden;
  }

  get isCompleting(): boolean {
    return this.#completing?.isOpen ?? false;
  }

  /** Undefined if vim keys are off. */
  get vimMode(): VimMode | undefined {
    return this.#vim?.mode;
  }

  /** Turns vim keys on once the settings are known. */
  set usesVim(isOn: boolean) {
    this.#vim = isOn ? (this.#vim ?? new VimKeys(this.#text, this.#commands)) : undefined;
  }

  /** The current input of a search with vim's `/`. */
  get searchedFor(): string | undefined {
    return this.#vim?.searchedFor;
  }

  insert(text: string): void {
    this.#commands.insert(text);
    this.#afterEdit();
  }

  /** Empties the text and its undo history, but not the kill ring. */
  clear(): void {
    this.#text.reset();
    this.#commands.interrupt();
    this.#commands.marks.keepOnly(this.#commands.killRing.entries);
    this.#walk?.leave();
    this.#completing?.close();
    this.#vim?.reset();
    this.#afterChange();
  }

  /** Empties the text at the user's request; undo restores it. */
  erase(): void {
    this.#replaceAll("");
    this.#commands.interrupt();
    this.#walk?.leave();
    this.#completing?.close();
    this.#vim?.reset();
    this.#afterChange();
  }

  /** Inserts a mark for an attachment at the cursor. In `value`, its label stands for it. */
  addAttachmentMark(label: string): Mark {
    const mark = this.#commands.addAttachment(label);
    this.#afterEdit();
    return mark;
  }

  /** The marks in the order of the text. */
  marks(): readonly Mark[] {
    return this.#commands.marks.within(this.#text.text);
  }

  handle(key: Key): boolean {
    if (key.kind === "focus") return false;
    if (key.kind === "paste") {
      this.#vim?.insertMode();
      this.#commands.paste(key.text);
      this.#afterEdit();
      return true;
    }
    const { version, cursor } = this.#text;
    this.#isRecalled = false;
    const isHandled = this.#press(key);
    if (this.#text.version !== version && !this.#isRecalled) this.#afterEdit();
    else {
      if (this.isCompleting && !isSame(cursor, this.#text.cursor)) this.#completing?.ask(false);
      if (isHandled) this.#afterChange();
    }
    return isHandled;
  }

  render(context: RenderContext): readonly Row[] {
    const { columns } = context;
    const height = Math.max(
      1,
      Math.min(this.#options.maxRows ?? Math.max(3, Math.floor(context.rows / 3)), context.rows - 1),
    );
    const { symbols } = context;
    if (this.#made?.columns === columns && this.#made.height === height && this.#made.symbols === symbols)
      return this.#made.rows;
    const lead = this.prompt.reduce((sum, { text }) => sum + widthOf(text), 0);
    const indent = lead + 8 > columns ? 0 : lead;
    // The last column is reserved for the cursor after a full row.
    const room = Math.max(2, columns - indent - 1);
    if (this.#layout.columns !== room) this.#layout = new Layout(room, this.#commands.marks);
    this.#height = height;
    const view = this.#viewport.show(this.#text, this.#layout, height, this.#vim?.selection);
    this.#hidden = { above: view.above, below: view.below };
    this.#cursor = { row: view.cursor.row, column: view.cursor.column + indent };
    const begin = (index: number): readonly Span[] =>
      indent === 0 ? [] : index === 0 && view.above === 0 ? this.prompt : [{ text: " ".repeat(indent) }];
    const rows = view.rows.map(({ spans }, index) => rowOf(...begin(index), ...spans));
    if (this.isEmpty && this.placeholder !== "") {
      rows[0] = rowOf(...begin(0), { text: shorten(this.placeholder, room), style: { color: "dim" } });
    }
    const all = [...rows, ...(this.#completing?.render(context) ?? [])];
    this.#made = { rows: all, columns, height, symbols };
    return all;
  }

  #press(key: KeyPress): boolean {
    if (this.#jump !== undefined) return this.#jumpTo(key);
    const completed = this.#completing?.handle(key);
    if (completed === "submit") return this.#submit();
    if (completed === "handled") return true;
    const vim = this.#vim?.handle(key);
    if (vim === "handled") {
      this.#goal = undefined;
      return true;
    }
    if (vim === "up" || vim === "down") return this.#vertical(vim === "up" ? -1 : 1);
    const action = this.#options.bindings.match(key, "editor");
    if (action !== undefined) return this.#perform(action);
    if (vim === "ignored" || key.text === undefined) return false;
    this.#goal = undefined;
    this.#commands.type(key.text);
    return true;
  }

  #perform(action: string): boolean {
    switch (action) {
      case "tui.editor.cursorUp":
        return this.#vertical(-1);
      case "tui.editor.cursorDown":
        return this.#vertical(1);
      case "tui.editor.pageUp":
        return this.#rowsBy(-this.#height);
      case "tui.editor.pageDown":
        return this.#rowsBy(this.#height);
    }
    this.#goal = undefined;
    switch (action) {
      case "tui.input.submit":
        return this.#submit();
      case "tui.input.newLine":
        this.#commands.insert("\n");
        return true;
      case "tui.input.tab":
        this.#completing?.ask(true);
        return this.#completing !== undefined;
      case "tui.editor.jumpForward":
        this.#jump = "forward";
        return true;
      case "tui.editor.jumpBackward":
        this.#jump = "backward";
        return true;
      // With nothing to delete, the host may use the key, for example Ctrl+D to leave.
      case "tui.editor.deleteCharForward":
        return !this.isEmpty && this.#commands.run(action);
    }
    return this.#commands.run(action);
  }

  #submit(): boolean {
    const { cursor } = this.#text;
    const before = this.#text.before(cursor);
    if (this.#text.textBetween(before, cursor) === "\\") {
      this.#text.replace(before, cursor, "\n");
      return true;
    }
    this.#completing?.close();
    this.#options.onSubmit(this.value());
    return true;
  }

  /** One row up or down; past the first or last row, walks through the history. */
  #vertical(by: 1 | -1): boolean {
    if (this.#rowsBy(by)) return true;
    const found = by < 0 ? this.#olderPrompt() : this.#newerPrompt();
    if (!found) return false;
    this.#isRecalled = true;
    this.#goal = undefined;
    this.#commands.interrupt();
    this.#completing?.close();
    return true;
  }

  #rowsBy(by: number): boolean {
    const { cursor } = this.#text;
    const goal = this.#goal ?? this.#layout.columnOf(this.#text.line(cursor.line), cursor.offset);
    const place = placeRowsAway(this.#text, this.#layout, by, goal);
    if (place === undefined) return false;
    this.#commands.interrupt();
    this.#text.moveTo(place);
    this.#goal = goal;
    return true;
  }

  #olderPrompt(): boolean {
    const found = this.#walk?.older(this.#text.text);
    if (found === undefined) return false;
    this.#replaceAll(withoutMarks(found));
    // Stay on the first row, so that the next press recalls an older entry.
    const first = this.#text.line(0);
    this.#text.moveTo({ line: 0, offset: this.#layout.offsetAt(first, 0, this.#layout.columns) });
    return true;
  }

  #newerPrompt(): boolean {
    const found = this.#walk?.newer();
    if (found === undefined) return false;
    this.#replaceAll(found.isDraft ? found.text : withoutMarks(found.text));
    return true;
  }

  #replaceAll(text: string): void {
    this.#text.replace(START, this.#text.end, text);
  }

  /** Waits for the character to jump to. */
  #jumpTo(key: KeyPress): boolean {
    const direction = this.#jump;
    this.#jump = undefined;
    if (key.text === undefined) return key.name === "escape";
    const place = placeOfCharacter(this.#text, key.text, direction === "forward");
    if (place !== undefined) this.#text.moveTo(place);
    this.#goal = undefined;
    this.#commands.interrupt();
    return true;
  }

  #afterEdit(): void {
    this.#walk?.leave();
    this.#completing?.ask(false);
    this.#afterChange();
  }

  #afterChange(): void {
    this.#made = undefined;
    this.#options.onChange?.();
  }
}
