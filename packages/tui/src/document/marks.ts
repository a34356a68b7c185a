// Marks stand for something larger in a text: a long paste, a picture. A mark is one private-use character, so that
// moving, deleting, killing or restoring a character affects the whole mark.

export interface Mark {
  readonly id: number;
  readonly kind: "paste" | "attachment";
  /** The displayed text: "[paste #1, 240 lines]". */
  readonly label: string;
  /** What it becomes in the value of the text. */
  readonly text: string;
}

const FIRST = 0x100000;
const LAST = 0x10fffd;
const MARK = /[\u{100000}-\u{10fffd}]/gu;
const MARK_LENGTH = 2;

export class Marks {
  readonly #marks = new Map<number, Mark>();
  #next = 0;
  #pastes = 0;

  /** Returns the character that stands for a paste. */
  addPaste(text: string): string {
    this.#pastes++;
    const lines = text.replace(/\n$/, "").split("\n").length;
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    return this.#add("paste", `[paste #${this.#pastes}, ${size}]`, text);
  }

  addAttachment(label: string): string {
    return this.#add("attachment", label, label);
  }

  /** The mark of this cluster, if it is one. */
  at(cluster: string): Mark | undefined {
    const code = cluster.codePointAt(0) ?? 0;
    return code < FIRST || cluster.length !== MARK_LENGTH ? undefined : this.#marks.get(code - FIRST);
  }

  /** The marks in the order of the text. */
  within(text: string): readonly Mark[] {
    return Array.from(text.matchAll(MARK), ([character]) => this.at(character)).filter((mark) => mark !== undefined);
  }

  expand(text: string): string {
    return text.replace(MARK, (character) => this.at(character)?.text ?? "");
  }

  label(text: string): string {
    return text.replace(MARK, (character) => this.at(character)?.label ?? "");
  }

  /** Replaces labels in `text` by the attachments of `from` that they name; each once. */
  reattach(text: string, from: string): string {
    let result = text;
    for (const [character] of from.matchAll(MARK)) {
      const mark = this.at(character);
      if (mark?.kind === "attachment") result = result.replace(mark.label, () => character);
    }
    return result;
  }

  /** Forgets marks that occur in none of these texts. */
  keepOnly(texts: readonly string[]): void {
    const kept = new Set(texts.flatMap((text) => this.within(text).map(({ id }) => id)));
    for (const id of this.#marks.keys()) if (!kept.has(id)) this.#marks.delete(id);
    if (this.#marks.size === 0) this.#pastes = 0;
  }

  #add(kind: Mark["kind"], label: string, text: string): string {
    while (this.#marks.has(this.#next)) this.#next = (this.#next + 1) % (LAST - FIRST + 1);
    const id = this.#next++ % (LAST - FIRST + 1);
    this.#marks.set(id, { id, kind, label, text });
    return String.fromCodePoint(FIRST + id);
  }
}

/** Normalizes text from outside: line breaks become `\n`, and characters reserved for marks are replaced. */
export const withoutMarks = (text: string): string => text.replace(/\r\n?/g, "\n").replace(MARK, "\ufffd");

export const isMark = (cluster: string): boolean => (cluster.codePointAt(0) ?? 0) >= FIRST;
