// Anthropic's stop reasons and token counts under our names.

import type { JsonObject } from "../../types/json.ts";
import { own } from "../../types/own.ts";
import type { FinishReason, Usage } from "../../types/response.ts";
import { number, object } from "../common/json.ts";

type Reasons = Readonly<Record<string, FinishReason["reason"]>>;

/** Bedrock uses these for every maker's models. */
export const CLAUDE_REASONS: Reasons = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
};

const reasons: Reasons = {
  ...CLAUDE_REASONS,
  refusal: "content_filter",
  pause_turn: "other",
};

export function anthropicFinish(raw: string): FinishReason {
  return { reason: own(reasons, raw) ?? "other", raw };
}

/** Absent and null counts are omitted, so that a later event replaces only the counts that it has. */
export function anthropicUsage(raw: JsonObject): Partial<Usage> & { raw: JsonObject } {
  const counts: Record<string, number | undefined> = {
    inputTokens: number(raw["input_tokens"]),
    outputTokens: number(raw["output_tokens"]),
    cacheReadTokens: number(raw["cache_read_input_tokens"]),
    cacheWriteTokens: number(raw["cache_creation_input_tokens"]),
    reasoningTokens: number(object(raw["output_tokens_details"])?.["thinking_tokens"]),
  };
  const known = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
  return { ...known, raw };
}

/** For vendors that bill thinking as output without counting it separately. */
export function estimateReasoning(thinkingChars: number): Partial<Usage> {
  return { reasoningTokens: Math.ceil(thinkingChars / 4), estimated: ["reasoningTokens"] };
}
