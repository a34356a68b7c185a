// Where completions come from. The host knows commands, files and arguments; the editor only shows and inserts.

export interface CompletionItem {
  /** What is inserted. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** Enter on it also sends the text: a command that needs no arguments. */
  readonly submits?: boolean | undefined;
}

/** The items for what stands between two indexes of the text, best first. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
  /** Shown below the items, and alone when there are none. */
  readonly remark?: string | undefined;
}

export interface CompletionSource {
  /** Undefined: nothing can be completed here. The signal is aborted as soon as the answer is no longer wanted. */
  complete(text: string, cursor: number, signal: AbortSignal): Promise<Completion | undefined>;
}
