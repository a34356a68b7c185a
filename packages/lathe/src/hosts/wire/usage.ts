// Tokens of a whole run, as every published result counts them.

import { integer, object, optional, type Schema } from "@lathe/llm/schema";
import type { RunResult } from "../headless/result.ts";

export const wireUsage: Schema<RunResult["usage"]> = object({
  /** All that models read, cached or not, whatever the vendor. */
  inputTokens: integer(),
  /** All that models generated, thinking included. */
  outputTokens: integer(),
  /** The sum of the two. */
  totalTokens: integer(),
  reasoningTokens: optional(integer()),
  cacheReadTokens: optional(integer()),
  cacheWriteTokens: optional(integer()),
});
