// Earlier prompts. The host stores them; the arrow keys walk through them.

export interface History {
  /** The next older entry that begins with `prefix`; undefined if there is none. */
  previous(prefix: string): string | undefined;
  /** The next newer entry; undefined after the newest, to return to the draft. */
  next(): string | undefined;
  /** Entries that contain all the words, newest first. */
  search(words: string): readonly string[];
}

/** The position in the history, and the draft from before. */
export class HistoryWalk {
  readonly #history: History;
  #draft: string | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  get isWalking(): boolean {
    return this.#draft !== undefined;
  }

  /** `draft` is the current text including its marks; it comes back unchanged. */
  older(draft: string): string | undefined {
    const prefix = this.#draft ?? draft;
    const found = this.#history.previous(prefix);
    if (found !== undefined) this.#draft = prefix;
    return found;
  }

  /** The text to show, and whether it is the draft. */
  newer(): { readonly text: string; readonly isDraft: boolean } | undefined {
    if (this.#draft === undefined) return undefined;
    const found = this.#history.next();
    if (found !== undefined) return { text: found, isDraft: false };
    const draft = this.#draft;
    this.#draft = undefined;
    return { text: draft, isDraft: true };
  }

  /** Call when the text was changed or sent: the next walk starts at the newest entry. */
  leave(): void {
    while (this.#draft !== undefined) this.newer();
  }
}
