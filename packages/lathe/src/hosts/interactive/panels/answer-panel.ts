// A question above a short list of answers. Each answer has a letter, and the list can be navigated. An answer that
// needs words opens a line to type them. With `enterDecides`, a digit only selects its answer, and other text is typed
// as words.

import {
  type Bindings,
  type CursorPlace,
  Editor,
  type Focusable,
  type Key,
  type RenderContext,
  type Row,
  rowOf,
} from "@lathe/tui";
import { answerRows } from "./answer-rows.ts";
import { allOf, fittedBody, type QuestionBody } from "./question-body.ts";

export interface AnswerOption<T> {
  /** A letter or digit. */
  readonly letter: string;
  readonly label: string;
  /** The label in one word, for small screens. */
  readonly short?: string;
  /** The answer approves what is asked: its label says so when not all of the question is shown. */
  readonly isConsent?: boolean;
  /** Can be marked with `letter` or Space, to send several together. */
  readonly isMarkable?: boolean;
  /** The typed text becomes part of the answer; this is the prompt for it. */
  readonly words?: string;
  answer(words: string): T;
}

export interface AnswerPanelParts<T> {
  readonly bindings: Bindings;
  /** The question above the answers, for a width. Only what fits is shown; `v` shows all of it. */
  readonly body: (columns: number) => QuestionBody;
  readonly options: readonly AnswerOption<T>[];
  /** Index of the answer that is selected first. */
  readonly first?: number;
  /** Combines several marked answers into one value. */
  readonly join?: (options: readonly AnswerOption<T>[]) => T;
  readonly hint: string;
  /** Letters select an answer without giving it, and other text becomes words of the last answer that takes them. */
  readonly enterDecides?: boolean;
  onAnswer(value: T): void;
  /** Goes to the previous or next question; absent if there is only one. */
  go?(by: -1 | 1): void;
  /** Called when the user starts to answer. */
  onTouch?(): void;
  /** Shows the whole question in a viewer. */
  viewAll(): void;
  onChange(): void;
}

const NOT_ALL = " (not fully shown: press v)";

export class AnswerPanel<T> implements Focusable {
  readonly #parts: AnswerPanelParts<T>;
  readonly #marked = new Set<number>();
  #at: number;
  #words: Editor | undefined;
  #cursor: CursorPlace | undefined;
  /** Whether the body is longer than what is shown. */
  #isCut = false;
  /** Digits that selected answers and may be the beginning of words. */
  #digits = "";
  /** The only answer takes words, so there is nothing to choose. */
  readonly #isWordsOnly: boolean;

  constructor(parts: AnswerPanelParts<T>) {
    this.#parts = parts;
    this.#at = parts.first ?? 0;
    const [only, ...others] = parts.options;
    this.#isWordsOnly = parts.enterDecides === true && others.length === 0 && only?.words !== undefined;
    if (this.#isWordsOnly && only) this.#openWords(only);
  }

  get cursor(): CursorPlace | undefined {
    return this.#cursor;
  }

  /** Words that were typed but not sent. */
  get typed(): string {
    return this.#words?.value().trim() ?? "";
  }

  render(context: RenderContext): readonly Row[] {
    const { columns, rows } = context;
    const words = this.#words?.render({ ...context, columns: columns - 2 }) ?? [];
    const typed = words.map((line) => rowOf({ text: "  " }, ...line.spans));
    const body = this.#parts.body(columns);
    const room = Math.max(1, rows - typed.length);
    const wanted = allOf(body).length;
    let listed = answerRows(this.#answerLines(context, false), this.#at, context, { room, wanted });
    let { rows: above, isCut } = fittedBody(body, room - listed.length, context);
    if (isCut) {
      listed = answerRows(this.#answerLines(context, true), this.#at, context, { room, wanted });
      ({ rows: above, isCut } = fittedBody(body, room - listed.length, context));
    }
    this.#isCut = isCut;
    this.#place(above.length + listed.length);
    return [...above, ...listed, ...typed];
  }

  #answerLines({ symbols }: RenderContext, isCut: boolean) {
    if (this.#isWordsOnly) return [];
    return this.#parts.options.map(({ letter, label, short, isMarkable, isConsent }, i) => ({
      letter,
      label: isCut && isConsent ? `${label}${NOT_ALL}` : label,
      short,
      mark: isMarkable ? `${this.#marked.has(i) ? symbols.checked : symbols.unchecked} ` : "",
    }));
  }

  /** What the keys do now. */
  get hint(): string {
    const { hint, join: joined, go, enterDecides } = this.#parts;
    if (this.#isWordsOnly) return `Enter to send · ${hint}`;
    if (this.#words) return "Enter to send · Esc to go back";
    const marks = joined ? "Space to mark · Enter to send" : enterDecides ? "Enter to choose" : "";
    return [this.#isCut ? "v to see everything" : "", marks, go ? "← → to switch questions" : "", hint]
      .filter((part) => part !== "")
      .join(" · ");
  }

  handle(key: Key): boolean {
    this.#parts.onTouch?.();
    if (this.#words) return this.#handleWords(this.#words, key);
    if (key.kind === "paste" && this.#parts.enterDecides) return this.#beginWords(key);
    if (key.kind !== "key") return false;
    const { bindings, options, viewAll, go, enterDecides } = this.#parts;
    const isText = key.text !== undefined && !key.ctrl && !key.alt;
    if (enterDecides && isText && key.name !== "enter" && this.#digits !== "" && !options[this.#at]?.isMarkable)
      return this.#typeKey(key);
    if (!isText) this.#digits = "";
    const action = bindings.match(key, "select");
    if (action === "tui.select.up") this.#move(-1);
    else if (action === "tui.select.down") this.#move(1);
    else if (action === "tui.select.confirm") this.#confirm();
    else if (go && (key.name === "left" || key.name === "right")) go(key.name === "left" ? -1 : 1);
    else if (key.name === "space" || key.text === " ") this.#mark(this.#at);
    else if (!isText) return false;
    else if (enterDecides && !(key.text === "v" && this.#isCut)) return this.#typeKey(key);
    else if (key.text === "v" && !options.some(({ letter }) => letter === "v")) viewAll();
    else {
      const chosen = options.findIndex(({ letter }) => letter === key.text?.toLowerCase());
      if (chosen < 0) return false;
      this.#choose(chosen);
    }
    return true;
  }

  /**
   * A digit selects its answer; other text begins words, including the digits before it. A slash begins a command and
   * is no answer.
   */
  #typeKey(key: Extract<Key, { kind: "key" }>): boolean {
    const chosen = this.#parts.options.findIndex(({ letter }) => letter === key.text && letter !== " ");
    if (chosen < 0) return (key.text !== "/" || this.#digits !== "") && this.#beginWords(key);
    const isMarkable = this.#parts.options[chosen]?.isMarkable;
    this.#digits = `${isMarkable ? "" : this.#digits}${key.text}`;
    this.#at = chosen;
    if (isMarkable) this.#mark(chosen);
    else this.#parts.onChange();
    return true;
  }

  #beginWords(key: Key): boolean {
    const { options } = this.#parts;
    this.#at = options.findLastIndex(({ words }) => words !== undefined);
    const option = options[this.#at];
    if (!option) return false;
    this.#openWords(option).insert(this.#digits);
    this.#digits = "";
    return this.#words?.handle(key) ?? false;
  }

  #handleWords(words: Editor, key: Key): boolean {
    const { go } = this.#parts;
    const isSideways = key.kind === "key" && (key.name === "left" || key.name === "right");
    if (this.#isWordsOnly && isSideways && go && words.isEmpty) {
      go(key.name === "left" ? -1 : 1);
      return true;
    }
    // A slash begins a command and is no answer.
    if (this.#isWordsOnly && words.isEmpty && key.kind === "key" && key.text === "/") return false;
    if (key.kind === "key" && key.name === "escape") {
      if (this.#isWordsOnly) return false;
      this.#words = undefined;
      this.#parts.onChange();
      return true;
    }
    return words.handle(key);
  }

  #move(by: number): void {
    const { options, onChange: changed } = this.#parts;
    this.#at = (this.#at + by + options.length) % options.length;
    changed();
  }

  #mark(index: number): void {
    if (!this.#parts.options[index]?.isMarkable) return;
    if (!this.#marked.delete(index)) this.#marked.add(index);
    this.#parts.onChange();
  }

  #choose(index: number): void {
    this.#at = index;
    if (this.#parts.options[index]?.isMarkable) this.#mark(index);
    else this.#confirm();
  }

  #confirm(): void {
    const { options, join: joined, onAnswer: answered, onChange: changed } = this.#parts;
    const option = options[this.#at];
    if (!option) return;
    if (option.words !== undefined) {
      this.#openWords(option);
      changed();
    } else if (!joined || !option.isMarkable) {
      answered(option.answer(""));
    } else {
      // Answers are sent in the order in which they were marked.
      const marked = [...this.#marked];
      answered(joined((marked.length === 0 ? [this.#at] : marked).flatMap((i) => options[i] ?? [])));
    }
  }

  #openWords({ words: placeholder = "", answer }: AnswerOption<T>): Editor {
    const { bindings, onChange, onAnswer: answered } = this.#parts;
    const onSubmit = (text: string): void => {
      if (text.trim() !== "") answered(answer(text.trim()));
    };
    const words = new Editor({ bindings, placeholder, maxRows: 5, onChange, onSubmit });
    this.#words = words;
    return words;
  }

  #place(above: number): void {
    const inWords = this.#words?.cursor;
    this.#cursor = inWords && { row: inWords.row + above, column: inWords.column + 2 };
  }
}
