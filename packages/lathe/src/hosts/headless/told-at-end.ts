// Warnings that are not told as the others are: some are said again by the last line of the input, some are what a command answers.

/** About how an input ends: its last line says them again, with what to do. */
export const TOLD_AT_THE_END: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "length",
  "content_filter",
  "context_overflow",
]);

/** What a command answers in a host without a screen: its lines stay lines. */
export const ANSWERS_OF_COMMANDS: ReadonlySet<string> = new Set(["workflow", "verify", "goal"]);
