// One line for each request: who asked which model, what it took, how it ended. Never a key, a prompt or any other text of a client.

import type { Usage } from "@lathe/llm";

export interface LoggedRequest {
  readonly at: number;
  /** Undefined: nobody that we know. */
  readonly key: string | undefined;
  /** `provider/id` of ours, never the client's word. */
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** US dollars; undefined where the price is not known. */
  readonly usd: number | undefined;
  readonly status: number;
  /** Why it is not what was asked for: a word of our own. */
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
