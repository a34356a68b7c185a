// Tokens of a whole run, as every published result counts them.

import { integer, object, optional, type Schema } from "@lathe/llm/schema";
import type { RunResult } from "../headless/result.ts";

export const wireUsage: Schema<RunResult["usage"]> = object({
  /** All tokens that models read, cached or not, for every vendor. */
  inputTokens: integer(),
  /** All tokens that models generated, including thinking. */
  outputTokens: integer(),
  /** The sum of both. */
  totalTokens: integer(),
  reasoningTokens: optional(integer()),
  cacheReadTokens: optional(integer()),
  cacheWriteTokens: optional(integer()),
});
