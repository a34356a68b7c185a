// What each client key has used, summed over the ledger, for `lathe stats --by key`.

import type { KeyAccounts } from "./key-accounts.ts";
import { chargeOf, lostCharge } from "./key-accounts.ts";
import { linesOf, monthsIn } from "./ledger-files.ts";
import type { ReservedLine } from "./lines.ts";

export interface KeySum {
  readonly id: string;
  readonly name: string;
  readonly requests: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** US dollars that vendors have reported. */
  readonly usd: number;
  /** US dollars that vendors may charge in addition, for answers that were cut off. */
  readonly uncertain: number;
}

/**
 * `since` is the first UTC date to count. `isRunning`: a gateway is running, so open reservations belong to running
 * requests.
 */
export function sumsByKey(
  folder: string,
  { since = "", isRunning }: { readonly since?: string; readonly isRunning: boolean },
): { readonly keys: readonly KeySum[]; readonly damaged: number } {
  const sums = new Map<string, KeySum>();
  const open = new Map<string, ReservedLine>();
  let damaged = 0;
  const add = ({ key, name, at }: ReservedLine, { usage, usd, uncertain }: ReturnType<typeof chargeOf>): void => {
    if (at.slice(0, 10) < since) return;
    const sum = sums.get(key) ?? { id: key, name, requests: 0, input: 0, cached: 0, output: 0, usd: 0, uncertain: 0 };
    sums.set(key, {
      ...sum,
      requests: sum.requests + 1,
      input: sum.input + usage.inputTokens,
      cached: sum.cached + (usage.cacheReadTokens ?? 0),
      output: sum.output + usage.outputTokens,
      usd: sum.usd + usd,
      uncertain: sum.uncertain + uncertain.usd,
    });
  };
  for (const month of monthsIn(folder)) {
    for (const line of linesOf(folder, month, () => damaged++)) {
      if (line.type === "reserved") open.set(line.id, line);
      if (line.type !== "settled") continue;
      const reserved = open.get(line.id);
      open.delete(line.id);
      if (reserved !== undefined) add(reserved, chargeOf(line));
    }
  }
  if (!isRunning) for (const line of open.values()) add(line, lostCharge(line));
  return { keys: [...sums.values()], damaged };
}

/** Reads the sums that a gateway would start with, without changing anything. */
export function readAccounts(folder: string, accounts: KeyAccounts): KeyAccounts {
  const last = monthsIn(folder).at(-1);
  if (last === undefined) return accounts;
  accounts.replay(linesOf(folder, last, () => undefined));
  return accounts;
}
