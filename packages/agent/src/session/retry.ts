// Decides whether and when a failed model call is retried.

import { messageOf, NetworkError, ProviderError, RequestTimeoutError, SDKError } from "@lathe/llm";
import type { RetryConfig } from "./config.ts";

export interface Attempts {
  /** Failures so far in this turn, this one included. */
  readonly failures: number;
  /** How many of those came after text had begun. */
  readonly midStream: number;
  /** The time since the first attempt. */
  readonly elapsedMs: number;
}

/** Milliseconds to wait; undefined means to give up. */
export function retryDelay(
  error: unknown,
  attempts: Attempts,
  config: RetryConfig,
  random: () => number,
): number | undefined {
  if (!isRetryable(error)) return undefined;
  if (attempts.failures > config.maxRetries || attempts.midStream > config.midStream) return undefined;
  const delay = delayOf(error, attempts.failures, config, random);
  if (delay === undefined) return undefined;
  const most = (error instanceof NetworkError && config.maxUnreachableMs) || config.maxTotalMs;
  return most > 0 && attempts.elapsedMs + delay > most ? undefined : delay;
}

function delayOf(error: unknown, failures: number, config: RetryConfig, random: () => number): number | undefined {
  const retryAfter = (error as { retryAfter?: number }).retryAfter;
  if (retryAfter !== undefined) return retryAfter > config.maxDelay ? undefined : Math.max(0, retryAfter * 1000);
  const backoff = Math.min(config.baseDelay * config.backoffMultiplier ** (failures - 1), config.maxDelay);
  return 1000 * backoff * (config.jitter ? 0.5 + random() : 1);
}

/** The error's message and, if the provider asked for too long a wait, when to try again. */
export function withWait(error: unknown): string {
  const message = messageOf(error);
  const wait = error instanceof ProviderError ? (error.retryAfter ?? 0) : 0;
  if (wait < 1 || /(try again|retry) (in|after) \d/i.test(message)) return message;
  return `${message} (the provider says: try again in ${duration(wait)})`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

/** A timeout of a silent server is worth another try. The llm package leaves that to its callers. */
function isRetryable(error: unknown): boolean {
  if (error instanceof RequestTimeoutError) return error.phase !== "total" && error.phase !== "perStep";
  return error instanceof SDKError && error.retryable;
}
