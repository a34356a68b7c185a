// What client keys have spent and what is set aside for requests that run. Every reservation is written before its request is sent,
// so a gateway that is killed never gives money back: what it had not settled counts whole.

import { Ledger, NO_AMOUNTS, NO_USAGE, type RequestAmounts } from "@lathe/agent/base";
import type { Usage } from "@lathe/llm";
import type { ClientKey } from "../keys/key-file.ts";
import { type KeyBudget, type Period, periodAt } from "../keys/terms.ts";
import { MonthFile, monthsIn, readMonth } from "./ledger-files.ts";
import type { LedgerLine, ReservedLine } from "./lines.ts";

export interface BooksOptions {
  readonly folder: string;
  readonly now: () => number;
  /** Unique in all files. */
  readonly newId: () => string;
  /** How the budget of a key is counted. */
  readonly periodOf: (key: string) => Period;
}

/** What a request may take at most, and for whom. */
export interface Claim {
  readonly key: Pick<ClientKey, "id" | "name">;
  /** `provider/id`. */
  readonly model: string;
  readonly most: RequestAmounts;
}

/** What a request was in the end. */
export interface Bill {
  /** In counts that mean the same for every vendor; absent where the vendor has said nothing. */
  readonly usage?: Usage | undefined;
  /** Undefined: the price is not known. */
  readonly usd: number | undefined;
  /** What may be charged besides. */
  readonly uncertain?: RequestAmounts | undefined;
}

export interface Reservation {
  readonly line: ReservedLine;
  readonly release: () => void;
  readonly ledger: Ledger;
}

interface KeyAccount {
  period: string;
  ledger: Ledger;
  /** Dollars of all time: what the next month begins with. */
  readonly ever: { usd: number; uncertain: number };
}

const MONTH: Period = "month";

export class Books {
  readonly #options: BooksOptions;
  readonly #accounts = new Map<string, KeyAccount>();
  readonly #open = new Map<string, Reservation>();
  /** Lines that could not be read. */
  readonly damaged: number;
  /** Requests that an earlier gateway had sent and not settled. */
  readonly unsettled: number;
  #file: MonthFile;

  constructor(options: BooksOptions) {
    this.#options = options;
    const { folder, now } = options;
    const last = monthsIn(folder).at(-1);
    const { lines, damaged } = last === undefined ? { lines: [], damaged: 0 } : readMonth(folder, last);
    this.damaged = damaged;
    const left = this.#replay(lines);
    this.unsettled = left.length;
    const month = periodAt(MONTH, now());
    // A clock that was set back must not begin an older file.
    this.#file = new MonthFile(folder, last !== undefined && last > month ? last : month);
    if (this.#file.month !== last) this.#file.append(this.#carried());
    for (const line of left) this.#settleLost(line);
  }

  /** Dollars of a budget that are neither spent nor set aside. */
  left({ id }: Pick<ClientKey, "id">, budget: KeyBudget): number {
    const account = this.#account(id, this.#options.now());
    return account.ledger.amountsLeft({ usd: budget.usd }, 0).usd;
  }

  /** In the running period of its budget. */
  spent({ id }: Pick<ClientKey, "id">): { readonly usd: number; readonly uncertain: number } {
    const { ledger } = this.#account(id, this.#options.now());
    return { usd: ledger.cost, uncertain: ledger.uncertain.usd };
  }

  /** Throws when it cannot be written; then nothing is set aside. */
  reserve({ key, model, most }: Claim): Reservation {
    const { now, newId } = this.#options;
    const at = now();
    const { ledger } = this.#account(key.id, at);
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
    const reservation = { line, release: ledger.reserveRequest(most), ledger };
    this.#open.set(line.id, reservation);
    return reservation;
  }

  /** The counts hold at once, whether or not the line can be written. */
  settle({ line, release, ledger }: Reservation, bill: Bill): void {
    const { usage = NO_USAGE, usd = 0, uncertain } = bill;
    release();
    this.#open.delete(line.id);
    this.#count(this.#account(line.key, Date.parse(line.at)), ledger, { usage, usd, uncertain: uncertain ?? NO_AMOUNTS });
    this.#append({
      type: "settled",
      id: line.id,
      at: new Date(this.#options.now()).toISOString(),
      input: usage.inputTokens,
      cached: usage.cacheReadTokens ?? 0,
      output: usage.outputTokens,
      usd,
      ...(bill.usd === undefined ? { unpriced: true as const } : {}),
      ...(uncertain === undefined ? {} : { uncertain }),
    });
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }

  /** The account of a key, in the period of a moment: another period begins with nothing spent. */
  #account(key: string, at: number): KeyAccount {
    const period = periodAt(this.#options.periodOf(key), at);
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

  /** Where what was reserved in the past belongs; a period that is over is nobody's budget any more. */
  #asOf({ key, at }: ReservedLine): { readonly account: KeyAccount; readonly ledger: Ledger } {
    const account = this.#account(key, Date.parse(at));
    const isOver = periodAt(this.#options.periodOf(key), Date.parse(at)) < account.period;
    return { account, ledger: isOver ? new Ledger() : account.ledger };
  }

  #count(
    account: KeyAccount,
    ledger: Ledger,
    { usage, usd, uncertain }: { readonly usage: Usage; readonly usd: number; readonly uncertain: RequestAmounts },
  ): void {
    ledger.request(usage, usd);
    ledger.addUncertain(uncertain);
    account.ever.usd += usd;
    account.ever.uncertain += uncertain.usd;
  }

  /** Counts what a file says; the reservations that it leaves open are returned. */
  #replay(lines: readonly LedgerLine[]): readonly ReservedLine[] {
    const open = new Map<string, ReservedLine>();
    for (const line of lines) {
      if (line.type === "reserved") open.set(line.id, line);
      else if (line.type === "carried") this.#takeOver(line.spent);
      else {
        const before = open.get(line.id);
        if (before === undefined) continue;
        open.delete(line.id);
        const { input, output, usd, uncertain = NO_AMOUNTS } = line;
        const usage = { inputTokens: input, outputTokens: output, totalTokens: input + output };
        const { account, ledger } = this.#asOf(before);
        this.#count(account, ledger, { usage, usd, uncertain });
      }
    }
    return [...open.values()];
  }

  #takeOver(spent: Readonly<Record<string, { readonly usd: number; readonly uncertain: number }>>): void {
    for (const [key, { usd, uncertain }] of Object.entries(spent)) {
      const account = this.#account(key, this.#options.now());
      account.ever.usd = usd;
      account.ever.uncertain = uncertain;
      if (account.period === "ever") account.ledger.restore({ usd }, NO_USAGE, { usd: uncertain });
    }
  }

  #settleLost(line: ReservedLine): void {
    const reservation = { line, release: () => undefined, ledger: this.#asOf(line).ledger };
    if (this.#file.month !== line.at.slice(0, 7)) this.#file.append(line);
    this.settle(reservation, { usd: 0, uncertain: { tokens: line.tokens, usd: line.usd } });
  }

  #append(line: LedgerLine): void {
    const month = periodAt(MONTH, this.#options.now());
    if (month > this.#file.month) this.#beginMonth(month);
    this.#file.append(line);
  }

  /** The new file says all that the next start needs, so that older ones need not be read. */
  #beginMonth(month: string): void {
    const next = new MonthFile(this.#options.folder, month);
    next.append(this.#carried(), ...[...this.#open.values()].map(({ line }) => line));
    this.#file.close();
    this.#file = next;
  }

  #carried(): LedgerLine {
    const spent = Object.fromEntries([...this.#accounts].map(([key, { ever }]) => [key, { ...ever }]));
    return { type: "carried", at: new Date(this.#options.now()).toISOString(), spent };
  }
}
