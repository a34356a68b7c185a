// Tokens of a whole run, as every published result counts them.

import type { RunResult } from "../headless/result.ts";
import { integer, object, optional, type Shape } from "./define.ts";

export const wireUsage: Shape<RunResult["usage"]> = object({
  /** All that models read, cached or not, whatever the vendor. */
  inputTokens: integer,
  /** All that models generated, thinking included. */
  outputTokens: integer,
  /** The sum of the two. */
  totalTokens: integer,
  reasoningTokens: optional(integer),
  cacheReadTokens: optional(integer),
  cacheWriteTokens: optional(integer),
});
