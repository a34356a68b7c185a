// Where completions come from. The host knows commands, files and arguments; the editor only shows and inserts.

export interface CompletionItem {
  /** The text to insert. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** Enter on it also sends the text, for commands without arguments. */
  readonly submits?: boolean | undefined;
}

/** The items that can replace the text between two indexes, best first. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
  /** Shown below the items, or alone if there are none. */
  readonly remark?: string | undefined;
}

export interface CompletionSource {
  /** Undefined if nothing can be completed here. The signal aborts when the answer is no longer wanted. */
  complete(text: string, cursor: number, signal: AbortSignal): Promise<Completion | undefined>;
}
