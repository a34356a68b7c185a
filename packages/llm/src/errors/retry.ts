// Retries (ER-05..ER-07). Wraps one model call; adapters and the client never retry on their own.

import { defaultDeps } from "../deps.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { AbortError, ProviderError, SDKError } from "../types/errors.ts";
import { type Some, withoutUndefined } from "../types/some.ts";

/** Durations in seconds. */
export interface RetryPolicy {
  readonly maxRetries: number;
  readonly baseDelay: number;
  readonly maxDelay: number;
  readonly backoffMultiplier: number;
  readonly jitter: boolean;
  /** No further attempt if this much time would pass, including the next wait. */
  readonly budget?: number | undefined;
  readonly onRetry?: ((error: SDKError, attempt: number, delay: number) => void) | undefined;
  /** Overrides `error.retryable`, for example to opt in to timeouts. An abort is never retried. */
  readonly shouldRetry?: ((error: SDKError) => boolean) | undefined;
}

/** Two retries, starting with one second and doubling, with jitter. */
export const DEFAULT_RETRY: RetryPolicy = {
  maxRetries: 2,
  baseDelay: 1,
  maxDelay: 60,
  backoffMultiplier: 2,
  jitter: true,
};

/** What a retry needs from the machine and its caller. */
export interface RetryContext {
  readonly signal?: AbortSignal | undefined;
  /** The machine's own when absent. */
  readonly deps?: Pick<ClientDeps, "sleep" | "random" | "now"> | undefined;
}

/** Repeats a call after temporary failures, according to the policy. */
export async function retry<T>(
  call: (attempt: number) => Promise<T>,
  policy: Some<RetryPolicy>,
  { signal, deps = defaultDeps() }: RetryContext = {},
): Promise<T> {
  const rules: RetryPolicy = { ...DEFAULT_RETRY, ...withoutUndefined(policy) };
  const began = deps.now();
  for (let attempt = 0; ; attempt++) {
    if (signal?.aborted) throw new AbortError("The request was aborted.", { cause: signal.reason });
    try {
      return await call(attempt);
    } catch (error) {
      const delay = nextDelay(error, attempt, rules, deps.random);
      if (delay === undefined) throw error;
      if (rules.budget !== undefined && (deps.now() - began) / 1000 + delay > rules.budget) throw error;
      rules.onRetry?.(error as SDKError, attempt, delay);
      await deps.sleep(delay * 1000, signal);
    }
  }
}

/** Seconds to wait before the next attempt; undefined if there should be none. */
function nextDelay(error: unknown, attempt: number, rules: RetryPolicy, random: () => number): number | undefined {
  if (!(error instanceof SDKError) || error instanceof AbortError || attempt >= rules.maxRetries) return undefined;
  if (!(rules.shouldRetry?.(error) ?? error.retryable)) return undefined;
  const retryAfter = error instanceof ProviderError ? error.retryAfter : undefined;
  if (retryAfter !== undefined) return retryAfter <= rules.maxDelay ? retryAfter : undefined;
  const delay = Math.min(rules.baseDelay * rules.backoffMultiplier ** attempt, rules.maxDelay);
  return rules.jitter ? delay * (0.5 + random()) : delay;
}
