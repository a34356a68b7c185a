// Token counts for clients, in the same terms for every vendor behind us.

import { comparableUsage } from "../../stream/usage.ts";
import type { Usage } from "../../types/response.ts";

/** Input is everything that the model read, output everything that it wrote. */
export interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export function countsOf(usage: Usage, provider: string): Counts {
  const { inputTokens, outputTokens, ...rest } = comparableUsage(usage, provider);
  return {
    input: whole(inputTokens),
    output: whole(outputTokens),
    cacheRead: whole(rest.cacheReadTokens),
    cacheWrite: whole(rest.cacheWriteTokens),
    reasoning: whole(rest.reasoningTokens),
  };
}

const whole = (count = 0): number => (Number.isFinite(count) && count > 0 ? Math.round(count) : 0);
