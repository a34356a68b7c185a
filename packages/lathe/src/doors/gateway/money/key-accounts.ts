// What each client key has spent, in the current period of its budget and in total, computed from the lines of the
// ledger.

import { Ledger, NO_AMOUNTS, NO_USAGE, type RequestAmounts } from "@lathe/agent/base";
import type { Usage } from "@lathe/llm";
import { type Period, periodAt } from "../keys/terms.ts";
import type { LedgerLine, ReservedLine, SettledLine } from "./lines.ts";

/** Returns the budget period of a key. */
export type PeriodOf = (key: string) => Period;

export interface KeyAccount {
  period: string;
  ledger: Ledger;
  /** Total dollars; the next month's file starts with these. */
  readonly ever: { usd: number; uncertain: number };
}

export interface Charge {
  readonly usage: Usage;
  readonly usd: number;
  readonly uncertain: RequestAmounts;
}

export class KeyAccounts {
  readonly #periodOf: PeriodOf;
  readonly #accounts = new Map<string, KeyAccount>();

  constructor(periodOf: PeriodOf) {
    this.#periodOf = periodOf;
  }

  /** The account in the period of this time; a new period starts with nothing spent. */
  at(key: string, ms: number): KeyAccount {
    const period = periodAt(this.#periodOf(key), ms);
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = { period, ledger: new Ledger(), ever: { usd: 0, uncertain: 0 } };
      this.#accounts.set(key, account);
    }
    // A clock that was set back gives no money back.
    if (period > account.period && account.period !== "ever") {
      account.period = period;
      account.ledger = new Ledger();
    }
    return account;
  }

  /** The ledger that a past reservation counts in; one of an ended period no longer counts against the budget. */
  ledgerOf({ key, at }: ReservedLine): Ledger {
    const { period, ledger } = this.at(key, Date.parse(at));
    return periodAt(this.#periodOf(key), Date.parse(at)) < period ? new Ledger() : ledger;
  }

  count(key: string, ledger: Ledger, { usage, usd, uncertain }: Charge): void {
    ledger.request(usage, usd);
    ledger.addUncertain(uncertain);
    const ever = this.#accounts.get(key)?.ever;
    if (ever === undefined) return;
    ever.usd += usd;
    ever.uncertain += uncertain.usd;
  }

  /** Counts the lines of a file; returns the reservations without a settlement. */
  replay(lines: Iterable<LedgerLine>): readonly ReservedLine[] {
    const open = new Map<string, ReservedLine>();
    for (const line of lines) {
      if (line.type === "reserved") open.set(line.id, line);
      else if (line.type === "carried") this.#takeOver(line);
      else {
        const reserved = open.get(line.id);
        if (reserved === undefined) continue;
        open.delete(line.id);
        this.count(reserved.key, this.ledgerOf(reserved), chargeOf(line));
      }
    }
    return [...open.values()];
  }

  carriedSums(): Readonly<Record<string, { readonly usd: number; readonly uncertain: number }>> {
    return Object.fromEntries([...this.#accounts].map(([key, { ever }]) => [key, { ...ever }]));
  }

  #takeOver({ at, spent }: Extract<LedgerLine, { type: "carried" }>): void {
    for (const [key, { usd, uncertain }] of Object.entries(spent)) {
      const { ever, period, ledger } = this.at(key, Date.parse(at));
      ever.usd = usd;
      ever.uncertain = uncertain;
      if (period === "ever") ledger.restore({ usd }, NO_USAGE, { usd: uncertain });
    }
  }
}

export function chargeOf({ input, cached, output, usd, uncertain = NO_AMOUNTS }: SettledLine): Charge {
  const usage: Usage = {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    ...(cached === 0 ? {} : { cacheReadTokens: cached }),
  };
  return { usage, usd, uncertain };
}

/** The full reservation of a request that was never settled, because the process was killed. */
export const lostCharge = ({ tokens, usd }: ReservedLine): Charge => ({
  usage: NO_USAGE,
  usd: 0,
  uncertain: { tokens, usd },
});
