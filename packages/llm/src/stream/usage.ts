// Counting tokens and money. Vendors count differently: the derived numbers below are the comparable ones.

import type { ModelCost } from "../types/model.ts";
import type { Usage } from "../types/response.ts";

/** Providers whose `inputTokens` leaves out what was read from or written to the cache. */
const CACHE_COUNTED_APART = /^(anthropic|amazon-bedrock|bedrock)/;
/** Providers whose `outputTokens` leaves out the thinking. */
const REASONING_COUNTED_APART = /^(gemini|google)/;

const OPTIONAL = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
  for (const name of OPTIONAL)
    if (a[name] !== undefined || b[name] !== undefined) sum[name] = (a[name] ?? 0) + (b[name] ?? 0);
  const estimated = [...new Set([...(a.estimated ?? []), ...(b.estimated ?? [])])].sort();
  if (estimated.length > 0) sum.estimated = estimated;
  return sum;
}

/** Everything the model read. */
export function promptTokens(usage: Usage, provider: string): number {
  if (!CACHE_COUNTED_APART.test(provider)) return usage.inputTokens;
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/** Everything the model generated. */
export function billedOutputTokens(usage: Usage, provider: string): number {
  return usage.outputTokens + (REASONING_COUNTED_APART.test(provider) ? (usage.reasoningTokens ?? 0) : 0);
}

export function cacheHitRatio(usage: Usage, provider: string): number {
  const prompt = promptTokens(usage, provider);
  return prompt === 0 ? 0 : (usage.cacheReadTokens ?? 0) / prompt;
}

/** US dollars. Every token is charged once: cached input at the cache price, the rest of the prompt at the input price. */
export function costOf(usage: Usage, cost: ModelCost, provider: string): number {
  const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const fresh = Math.max(0, promptTokens(usage, provider) - read - written);
  const dollars =
    fresh * cost.input +
    read * cost.cacheRead +
    written * cost.cacheWrite +
    billedOutputTokens(usage, provider) * cost.output;
  return dollars / 1_000_000;
}
