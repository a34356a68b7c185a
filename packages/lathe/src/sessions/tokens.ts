// Token counts that can be added up across vendors, some of which count cached input separately.

import { billedOutputTokens, promptTokens, type Usage } from "@lathe/llm";

export interface TokenCounts {
  /** Everything the model read, cached or not. */
  readonly input: number;
  /** The part of it that came from a cache. */
  readonly cached: number;
  readonly output: number;
}

export const tokenCounts = (usage: Usage, provider: string): TokenCounts => ({
  input: promptTokens(usage, provider),
  cached: usage.cacheReadTokens ?? 0,
  output: billedOutputTokens(usage, provider),
});

export const addTokens = (a: TokenCounts, b: TokenCounts): TokenCounts => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
});
