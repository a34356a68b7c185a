// Asks a vendor how much of an account is used up, as its row in oauth.yml describes.

import { parseJson, type Transport } from "@lathe/llm";
import { answerText } from "../../../platform/machine/answer-text.ts";
import type { OAuthRow } from "../oauth/rows.ts";
import type { AccountSecret, UsageReport } from "../source.ts";
import { readUsage } from "./usage-fields.ts";

/** A vendor that does not answer must not delay the start of a session for longer. */
const PATIENCE_MS = 5_000;
const MOST_BYTES = 1 << 20;

export interface UsageVendor {
  readonly fetch: Transport;
  readonly now: () => number;
}

/** Undefined if there is no such page, the vendor is down, or its answer lacks what the row names. */
export async function askUsage(
  { usageUrl, usage = [] }: Pick<OAuthRow, "usageUrl" | "usage">,
  secret: () => Promise<AccountSecret>,
  { fetch, now }: UsageVendor,
): Promise<UsageReport | undefined> {
  if (usageUrl === undefined) return undefined;
  try {
    const { value } = await secret();
    const headers = { authorization: `Bearer ${value}`, accept: "application/json" };
    const reply = await fetch({ url: usageUrl, method: "GET", headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const answer = parseJson(await answerText(reply.body, MOST_BYTES));
    if (reply.status !== 200 || answer === undefined) return undefined;
    const windows = readUsage(answer, usage, now());
    return windows.length === 0 ? undefined : { at: now(), windows };
  } catch {
    // The known standing stays valid; the session's own request will report the problem.
    return undefined;
  }
}
