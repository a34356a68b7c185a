// What client keys have spent, and what is reserved for running requests. Every reservation is written before its
// request is sent, so a killed gateway never gives money back: unsettled reservations count in full.

import { type Ledger, NO_AMOUNTS, NO_USAGE, type RequestAmounts } from "@lathe/agent/base";
import type { Usage } from "@lathe/llm";
import { usageError } from "../../../platform/usage/exit.ts";
import type { ClientKey } from "../keys/key-file.ts";
import { type KeyBudget, periodAt } from "../keys/terms.ts";
import { KeyAccounts, lostCharge, type PeriodOf } from "./key-accounts.ts";
import { beginMonth, fileOf, linesOf, MonthFile, monthsIn } from "./ledger-files.ts";
import type { LedgerLine, ReservedLine } from "./lines.ts";

export interface BooksOptions {
  readonly folder: string;
  readonly now: () => number;
  /** Unique across all files. */
  readonly newId: () => string;
  readonly periodOf: PeriodOf;
}

/** The most that a request may take, and the key it belongs to. */
export interface Claim {
  readonly key: Pick<ClientKey, "id" | "name">;
  /** `provider/id`. */
  readonly model: string;
  readonly most: RequestAmounts;
}

/** What a request actually took. */
export interface Bill {
  /** Normalized counts of all vendors; absent if the vendor reported none. */
  readonly usage?: Usage | undefined;
  /** Undefined if the price is unknown. */
  readonly usd: number | undefined;
  /** What the vendor may charge in addition. */
  readonly uncertain?: RequestAmounts | undefined;
}

export interface Reservation {
  readonly line: ReservedLine;
  readonly release: () => void;
  readonly ledger: Ledger;
}

export class Books {
  readonly #options: BooksOptions;
  readonly #accounts: KeyAccounts;
  readonly #open = new Map<string, ReservedLine>();
  /** Lines that could not be read. */
  readonly damaged: number;
  /** Requests that an earlier gateway sent but did not settle. */
  readonly unsettled: number;
  #file: MonthFile;

  constructor(options: BooksOptions) {
    this.#options = options;
    const { folder, now, periodOf } = options;
    this.#accounts = new KeyAccounts(periodOf);
    const last = monthsIn(folder).at(-1);
    let damaged = 0;
    let read = 0;
    const lines = function* (month: string): Generator<LedgerLine, void> {
      for (const line of linesOf(folder, month, () => damaged++)) {
        read++;
        yield line;
      }
    };
    const left = this.#accounts.replay(last === undefined ? [] : lines(last));
    // Every file has a first line. Without it, nothing would count as spent and every budget would start over.
    if (last !== undefined && read === 0)
      throw usageError(
        `The ledger ${fileOf(folder, last)} is damaged: what the keys have spent is not known. Restore it from a backup, or move it away to begin with what was spent before that month.`,
      );
    this.damaged = damaged;
    this.unsettled = left.length;
    for (const line of left) this.#open.set(line.id, line);
    const month = periodAt("month", now());
    // A clock that was set back must not open an older file.
    this.#file =
      last !== undefined && last >= month
        ? new MonthFile(folder, last)
        : beginMonth(folder, month, [this.#carriedLine(), ...left]);
    for (const line of left)
      this.settle({ line, release: () => undefined, ledger: this.#accounts.ledgerOf(line) }, lostCharge(line));
  }

  /** Dollars of a budget that are neither spent nor reserved. */
  left({ id }: Pick<ClientKey, "id">, { usd }: KeyBudget): number {
    return this.#accounts.at(id, this.#options.now()).ledger.amountsLeft({ usd }, 0).usd;
  }

  /** Spent in the current period of the key's budget. */
  spent({ id }: Pick<ClientKey, "id">): { readonly usd: number; readonly uncertain: number } {
    const { ledger } = this.#accounts.at(id, this.#options.now());
    return { usd: ledger.cost, uncertain: ledger.uncertain.usd };
  }

  /** Throws if the line cannot be written; then nothing is reserved. */
  reserve({ key, model, most }: Claim): Reservation {
    const { now, newId } = this.#options;
    const at = now();
    const line: ReservedLine = {
      type: "reserved",
      id: newId(),
      at: new Date(at).toISOString(),
      key: key.id,
      name: key.name,
      model,
      tokens: Math.ceil(most.tokens),
      usd: most.usd,
    };
    this.#append(line);
    this.#open.set(line.id, line);
    const { ledger } = this.#accounts.at(key.id, at);
    return { line, release: ledger.reserveRequest(most), ledger };
  }

  /** The counts change at once, even if the line cannot be written. */
  settle({ line, release, ledger }: Reservation, bill: Bill): void {
    const { usage = NO_USAGE, usd = 0, uncertain = NO_AMOUNTS } = bill;
    release();
    this.#open.delete(line.id);
    this.#accounts.count(line.key, ledger, { usage, usd, uncertain });
    this.#append({
      type: "settled",
      id: line.id,
      at: new Date(this.#options.now()).toISOString(),
      input: usage.inputTokens,
      cached: usage.cacheReadTokens ?? 0,
      output: usage.outputTokens,
      usd,
      ...(bill.usd === undefined ? { unpriced: true as const } : {}),
      ...(uncertain.tokens === 0 && uncertain.usd === 0 ? {} : { uncertain }),
    });
  }

  /** Resolves once all lines are on the disk. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }

  #append(line: LedgerLine): void {
    const month = periodAt("month", this.#options.now());
    if (month > this.#file.month) this.#beginMonth(month);
    this.#file.append(line);
  }

  /** The new file starts with everything the next start needs, so that older files need not be read. */
  #beginMonth(month: string): void {
    const next = beginMonth(this.#options.folder, month, [this.#carriedLine(), ...this.#open.values()]);
    this.#file.close();
    this.#file = next;
  }

  #carriedLine(): LedgerLine {
    return { type: "carried", at: new Date(this.#options.now()).toISOString(), spent: this.#accounts.carriedSums() };
  }
}
