// A question above a short list of answers. Each answer has a letter; the list can be moved in as well. An answer may need words, and
// then a line to type them in opens below it.

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
  /** The label in a word, where there is no room for more. */
  readonly short?: string;
  /** Says yes to what is asked: its label says so when not all of that is shown. */
  readonly isConsent?: boolean;
  /** Marked with `letter` or Space, to be sent together. */
  readonly isMarkable?: boolean;
  /** What is typed becomes part of the answer; the text is the prompt for it. */
  readonly words?: string;
  answer(words: string): T;
}

export interface AnswerPanelParts<T> {
  readonly bindings: Bindings;
  /** What stands above the answers, for a width. Only what fits is shown; `v` opens all of it. */
  readonly body: (columns: number) => QuestionBody;
  readonly options: readonly AnswerOption<T>[];
  /** Index of the answer to begin with. */
  readonly first?: number;
  /** Several answers at once: what the marked ones come to. */
  readonly join?: (options: readonly AnswerOption<T>[]) => T;
  readonly hint: string;
  onAnswer(value: T): void;
  /** Goes to the question before or after this one; absent where there is only one. */
  go?(by: -1 | 1): void;
  /** The user has begun to answer. */
  onTouch?(): void;
  /** Shows the whole body elsewhere. */
  viewAll(): void;
  onChange(): void;
}

const NOT_ALL = " (not all of it is shown: v)";

export class AnswerPanel<T> implements Focusable {
  readonly #parts: AnswerPanelParts<T>;
  readonly #marked = new Set<number>();
  #at: number;
  #words: Editor | undefined;
  #cursor: CursorPlace | undefined;
  /** The body is longer than what is shown. */
  #isCut = false;

  constructor(parts: AnswerPanelParts<T>) {
    this.#parts = parts;
    this.#at = parts.first ?? 0;
  }

  get cursor(): CursorPlace | undefined {
    return this.#cursor;
  }

  /** Words that were typed and not sent. */
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
    return this.#parts.options.map(({ letter, label, short, isMarkable, isConsent }, i) => ({
      letter,
      label: isCut && isConsent ? `${label}${NOT_ALL}` : label,
      short,
      mark: isMarkable ? `${this.#marked.has(i) ? symbols.checked : symbols.unchecked} ` : "",
    }));
  }

  /** What the keys do now. */
  get hint(): string {
    const { hint, join: joined, go } = this.#parts;
    if (this.#words) return "Enter to send · Esc to go back";
    const marks = joined ? "Space to mark · Enter to send" : "";
    return [this.#isCut ? "v to see everything" : "", marks, go ? "← → to switch questions" : "", hint]
      .filter((part) => part !== "")
      .join(" · ");
  }

  handle(key: Key): boolean {
    this.#parts.onTouch?.();
    if (this.#words) return this.#handleWords(this.#words, key);
    if (key.kind !== "key") return false;
    const { bindings, options, viewAll, go } = this.#parts;
    const action = bindings.match(key, "select");
    if (action === "tui.select.up") this.#move(-1);
    else if (action === "tui.select.down") this.#move(1);
    else if (action === "tui.select.confirm") this.#confirm();
    else if (go && (key.name === "left" || key.name === "right")) go(key.name === "left" ? -1 : 1);
    else if (key.name === "space" || key.text === " ") this.#mark(this.#at);
    else if (key.ctrl || key.alt || key.text === undefined) return false;
    else if (key.text === "v" && !options.some(({ letter }) => letter === "v")) viewAll();
    else {
      const chosen = options.findIndex(({ letter }) => letter === key.text?.toLowerCase());
      if (chosen < 0) return false;
      this.#choose(chosen);
    }
    return true;
  }

  #handleWords(words: Editor, key: Key): boolean {
    if (key.kind === "key" && key.name === "escape") {
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
    const { options, join: joined, onAnswer: answered, bindings, onChange: changed } = this.#parts;
    const option = options[this.#at];
    if (!option) return;
    if (option.words !== undefined) {
      this.#words = new Editor({
        bindings,
        placeholder: option.words,
        maxRows: 5,
        onChange: changed,
        onSubmit: (text) => text.trim() !== "" && answered(option.answer(text.trim())),
      });
      changed();
    } else if (!joined || !option.isMarkable) {
      answered(option.answer(""));
    } else {
      // In the order in which they were marked.
      const marked = [...this.#marked];
      answered(joined((marked.length === 0 ? [this.#at] : marked).flatMap((i) => options[i] ?? [])));
    }
  }

  #place(above: number): void {
    const inWords = this.#words?.cursor;
    this.#cursor = inWords && { row: inWords.row + above, column: inWords.column + 2 };
  }
}
