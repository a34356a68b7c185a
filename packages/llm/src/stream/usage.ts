// Counting tokens and money. Vendors count differently; the derived numbers below are comparable.

import { isJsonObject } from "../types/json.ts";
import type { ModelCost } from "../types/model.ts";
import type { Usage } from "../types/response.ts";

/** By provider name, for sums, which no longer have the vendor's own fields. */
const CACHE_APART_PROVIDERS = /^(anthropic|amazon-bedrock|bedrock)/;
const REASONING_APART_PROVIDERS = /^(gemini|google)/;
const CACHE_APART_FIELDS = [
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cacheReadInputTokens",
  "cacheWriteInputTokens",
];

/** Writing to the cache for an hour costs this multiple of the input price; the shorter time has its own price. */
const LONG_CACHE_WRITE = 2;

const OPTIONAL = ["reasoningTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** The sum of two usages; a count that one of them lacks is taken from the other. */
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

/** Whether `inputTokens` excludes tokens read from or written to the cache. */
function countsCacheApart({ raw }: Usage, provider: string): boolean {
  if (raw === undefined) return CACHE_APART_PROVIDERS.test(provider);
  // Gateways add these fields to Chat answers too, but there they are part of the prompt.
  return !("prompt_tokens" in raw) && CACHE_APART_FIELDS.some((field) => field in raw);
}

/** Whether `outputTokens` excludes the thinking. */
function countsReasoningApart({ raw, reasoningTokens = 0 }: Usage, provider: string): boolean {
  if (raw === undefined) return REASONING_APART_PROVIDERS.test(provider);
  if ("thoughtsTokenCount" in raw) return true;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = raw;
  return reasoningTokens > 0 && total === Number(prompt) + Number(completion) + reasoningTokens;
}

function longCacheWrites({ raw }: Usage): number {
  const { cache_creation: anthropic, cacheDetails: bedrock } = raw ?? {};
  if (isJsonObject(anthropic)) return Number(anthropic["ephemeral_1h_input_tokens"] ?? 0);
  const details = Array.isArray(bedrock) ? bedrock.filter(isJsonObject) : [];
  return details.reduce((sum, { ttl, inputTokens }) => sum + (ttl === "1h" ? Number(inputTokens) : 0), 0);
}

/** All tokens that the model read. */
export function promptTokens(usage: Usage, provider: string): number {
  if (!countsCacheApart(usage, provider)) return usage.inputTokens;
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/** All tokens that the model generated. */
export function billedOutputTokens(usage: Usage, provider: string): number {
  return usage.outputTokens + (countsReasoningApart(usage, provider) ? (usage.reasoningTokens ?? 0) : 0);
}

/**
 * The same counts for every vendor: input is everything read, output everything generated. Only these can be added up
 * across vendors.
 */
export function comparableUsage(usage: Usage, provider: string): Usage {
  const { raw: _raw, ...counts } = usage;
  const inputTokens = promptTokens(usage, provider);
  const outputTokens = billedOutputTokens(usage, provider);
  return { ...counts, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** The share of the prompt that came from the cache, from 0 to 1. */
export function cacheHitRatio(usage: Usage, provider: string): number {
  const prompt = promptTokens(usage, provider);
  return prompt === 0 ? 0 : (usage.cacheReadTokens ?? 0) / prompt;
}

/** US dollars. Every token is charged once: cached input at the cache price, the rest of the prompt at the input price. */
export function costOf(usage: Usage, prices: ModelCost, provider: string): number {
  const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const prompt = promptTokens(usage, provider);
  const cost = pricesFor(prompt, prices);
  const fresh = Math.max(0, prompt - read - written);
  const long = Math.min(longCacheWrites(usage), written);
  const dollars =
    fresh * cost.input +
    read * cost.cacheRead +
    (written - long) * cost.cacheWrite +
    long * cost.input * LONG_CACHE_WRITE +
    billedOutputTokens(usage, provider) * cost.output;
  return dollars / 1_000_000;
}

/**
 * US dollars of a request at most, regardless of the cache: it may be empty, and writing to it may cost more than
 * reading the prompt. `keepsLong`: entries may stay for an hour, which costs even more.
 */
export function mostCostOf(promptTokens: number, outputTokens: number, prices: ModelCost, keepsLong: boolean): number {
  const cost = pricesFor(promptTokens, prices);
  const written = keepsLong && cost.cacheWrite > 0 ? cost.input * LONG_CACHE_WRITE : 0;
  const read = Math.max(cost.input, cost.cacheRead, cost.cacheWrite, written);
  return (promptTokens * read + outputTokens * cost.output) / 1_000_000;
}

function pricesFor(prompt: number, prices: ModelCost): Omit<ModelCost, "longPrompt"> {
  const { longPrompt } = prices;
  return longPrompt && prompt > longPrompt.above ? longPrompt : prices;
}
