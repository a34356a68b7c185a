// Warnings that are not shown like the others: the last line of the input repeats some, and others are a command's
// answer.

/** Warnings about how an input ends: its last line repeats them with what to do. */
export const REPEATED_AT_END: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "length",
  "content_filter",
  "context_overflow",
]);

/** The answers of commands in a host without a screen; they keep their line breaks. */
export const COMMAND_ANSWER_CODES: ReadonlySet<string> = new Set(["workflow", "verify", "goal"]);
