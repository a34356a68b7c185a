// One log line per request: who asked which model, what it cost, how it ended. It never contains a key, a prompt or
// other text from a client.

import type { Usage } from "@lathe/llm";

export interface LoggedRequest {
  readonly at: number;
  /** Undefined for an unknown caller. */
  readonly key: string | undefined;
  /** Our `provider/id`, never the client's name for it. */
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** US dollars; undefined if the price is unknown. */
  readonly usd: number | undefined;
  readonly status: number;
  /** Why the request failed, as one of our codes. */
  readonly why: string | undefined;
  readonly ms: number;
}

export function logLine({ at, key, model, usage, usd, status, why, ms }: LoggedRequest): string {
  const fields = [
    new Date(at).toISOString(),
    `key=${key ?? "-"}`,
    `model=${model ?? "-"}`,
    `in=${usage?.inputTokens ?? 0}`,
    `cached=${usage?.cacheReadTokens ?? 0}`,
    `out=${usage?.outputTokens ?? 0}`,
    `usd=${usd === undefined ? "?" : usd.toFixed(6)}`,
    `status=${status}`,
    ...(why === undefined ? [] : [`why=${why}`]),
    `ms=${Math.round(ms)}`,
  ];
  return `${fields.join(" ")}\n`;
}
