// The common interface of all modes in these tests: send something, learn how it ended.

/** How an input ended. Modes for programs tell whose failure it was; users only see the reason. */
export interface Ended {
  readonly how: "answer" | "provider error" | "failed" | "error";
  /** The answer, or the reason. */
  readonly words: string;
}

export interface Talk {
  say(text: string): Promise<Ended>;
  /** Leaves as a user would; returns the exit code. */
  leave(): Promise<number>;
}
