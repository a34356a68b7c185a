// Warnings about how an input ends: its last line says them again, with what to do.

export const TOLD_AT_THE_END: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "length",
  "content_filter",
  "context_overflow",
]);
