// Earlier prompts. The host stores them; the editor walks through them with the arrow keys.

export interface History {
  /** The next older entry that begins with `prefix`; undefined when there is none. */
  previous(prefix: string): string | undefined;
  /** The next newer one; undefined when the newest has been left: back to what was being written. */
  next(): string | undefined;
  /** Entries that hold all the words, newest first. */
  search(words: string): readonly string[];
}

/** Where the editor is in its history, and what was being written before. */
export class HistoryWalk {
  readonly #history: History;
  #draft: string | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  get isWalking(): boolean {
    return this.#draft !== undefined;
  }

  /** `draft` is the text as it stands, marks and all: it comes back unchanged. */
  older(draft: string): string | undefined {
    const prefix = this.#draft ?? draft;
    const found = this.#history.previous(prefix);
    if (found !== undefined) this.#draft = prefix;
    return found;
  }

  /** What to show, and whether it is the draft itself. */
  newer(): { readonly text: string; readonly isDraft: boolean } | undefined {
    if (this.#draft === undefined) return undefined;
    const found = this.#history.next();
    if (found !== undefined) return { text: found, isDraft: false };
    const draft = this.#draft;
    this.#draft = undefined;
    return { text: draft, isDraft: true };
  }

  /** The text was changed or sent: the next walk begins at the newest entry. */
  leave(): void {
    while (this.#draft !== undefined) this.newer();
  }
}
