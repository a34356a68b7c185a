// Counts what a session and its children have spent and what they may still spend. The share of a child and the maximum
// cost of a request are reserved before they start, so that the sum of all reservations never exceeds the budget.

import { addUsage, type JsonObject, type Usage } from "@lathe/llm";

/** 0 or absent = no limit. */
export interface BudgetConfig {
  readonly tokens?: number | undefined;
  /** US dollars. */
  readonly usd?: number | undefined;
  /** Time spent processing. */
  readonly wallMs?: number | undefined;
  readonly turns?: number | undefined;
  /** Tool calls. */
  readonly calls?: number | undefined;
}

/** What a budget can limit. */
export type BudgetDimension = "tokens" | "usd" | "wallMs" | "turns" | "calls";
const DIMENSIONS: readonly BudgetDimension[] = ["tokens", "usd", "wallMs", "turns", "calls"];
/** What requests consume; a model without calls left can still answer. */
const OF_REQUESTS: readonly BudgetDimension[] = ["tokens", "usd", "wallMs", "turns"];

/** One number per dimension of a budget. */
export type Amounts = Readonly<Record<BudgetDimension, number>>;

/** Tokens and dollars of requests. */
export interface RequestAmounts {
  readonly tokens: number;
  readonly usd: number;
}
/** Zero tokens and dollars. */
export const NO_AMOUNTS: RequestAmounts = { tokens: 0, usd: 0 };

/** The usage of no request. */
export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** The counts alone, in the form the journal holds. */
export function plainUsage(usage: Usage): JsonObject {
  const { raw: _raw, estimated: _estimated, ...counts } = usage;
  return counts as JsonObject;
}

/** What a child has used of its share. */
export interface SettledShare {
  readonly usage: Usage;
  readonly cost: number;
  readonly turns: number;
  readonly calls?: number | undefined;
  readonly uncertain?: RequestAmounts | undefined;
}

/** What a session has spent, and what is set aside for its children and requests. */
export class Ledger {
  #usage: Usage = NO_USAGE;
  #spent: Record<BudgetDimension, number> = { tokens: 0, usd: 0, wallMs: 0, turns: 0, calls: 0 };
  #uncertain: RequestAmounts = NO_AMOUNTS;
  readonly #reserved = new Map<string, BudgetConfig>();
  #requests = 0;
  /** The highest step of a limit, in percent, that was reported to the model. */
  #reportedStep = 0;

  /** Comparable across vendors, like everything passed in. */
  get usage(): Usage {
    return this.#usage;
  }
  get cost(): number {
    return this.#spent.usd;
  }
  get spent(): Amounts {
    return this.#spent;
  }

  /**
   * The most that cut-off requests may have cost beyond what the vendor reported. Limits count it; the reported
   * spending does not.
   */
  get uncertain(): RequestAmounts {
    return this.#uncertain;
  }
  addUncertain({ tokens, usd }: RequestAmounts): void {
    this.#uncertain = { tokens: this.#uncertain.tokens + tokens, usd: this.#uncertain.usd + usd };
  }

  request(usage: Usage, cost: number): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#spent.tokens += usage.totalTokens;
    this.#spent.usd += cost;
  }
  turn(): void {
    this.#spent.turns += 1;
  }
  wall(ms: number): void {
    this.#spent.wallMs += ms;
  }
  call(): void {
    this.#spent.calls += 1;
  }

  /**
   * What is neither spent nor reserved; Infinity if there is no limit. `elapsedMs`: time of the input that is still
   * running.
   */
  amountsLeft(limits: BudgetConfig, elapsedMs: number): Amounts {
    const amountLeft = (dimension: BudgetDimension): number => {
      const limit = limits[dimension];
      if (!limit) return Number.POSITIVE_INFINITY;
      let promised = 0;
      for (const share of this.#reserved.values()) promised += share[dimension] ?? 0;
      return Math.max(0, limit - this.#usedOf(dimension, elapsedMs) - promised);
    };
    return {
      tokens: amountLeft("tokens"),
      usd: amountLeft("usd"),
      wallMs: amountLeft("wallMs"),
      turns: amountLeft("turns"),
      calls: amountLeft("calls"),
    };
  }

  /** Turns reserved for children are not available to the session itself. */
  exhaustedDimension(limits: BudgetConfig, elapsedMs: number): BudgetDimension | undefined {
    if (this.amountsLeft(limits, elapsedMs).turns <= 0) return "turns";
    return OF_REQUESTS.find((dimension) => {
      const limit = limits[dimension];
      return limit && this.#usedOf(dimension, elapsedMs) >= limit;
    });
  }

  #usedOf(dimension: BudgetDimension, elapsedMs: number): number {
    const spent = this.#spent[dimension];
    if (dimension === "wallMs") return spent + elapsedMs;
    return dimension === "tokens" || dimension === "usd" ? spent + this.#uncertain[dimension] : spent;
  }

  /** Restores the totals of an earlier process. */
  restore(
    spent: Partial<Record<BudgetDimension, number>>,
    usage: Usage,
    uncertain: Partial<RequestAmounts> = {},
  ): void {
    this.#spent = { ...this.#spent, ...spent };
    this.#usage = usage;
    this.#uncertain = { ...NO_AMOUNTS, ...uncertain };
  }

  /**
   * Reserves the most that a request may cost. The caller has checked that this much is left, and releases it before
   * counting the actual cost.
   */
  reserveRequest(amounts: Partial<RequestAmounts> & { readonly turns?: number }): () => void {
    const key = `request ${++this.#requests}`;
    this.#reserved.set(key, amounts);
    return () => void this.#reserved.delete(key);
  }

  /**
   * Reserves a child's share: what it asks for, or one of `parts` equal parts of what is left. Undefined if nothing is
   * left. A batch of n counts down from n + 1, so that each child and the parent get the same. Wall time passes for
   * parent and child alike, so the child gets the same limit and nothing is reserved.
   */
  reserve(
    childId: string,
    limits: BudgetConfig,
    elapsedMs: number,
    requested: BudgetConfig = {},
    parts = 2,
  ): BudgetConfig | undefined {
    const left = this.amountsLeft(limits, elapsedMs);
    const share: { -readonly [K in BudgetDimension]?: number } = {};
    for (const dimension of DIMENSIONS) {
      const wanted = requested[dimension];
      if (left[dimension] === Number.POSITIVE_INFINITY) {
        if (wanted) share[dimension] = wanted;
        continue;
      }
      if (left[dimension] <= 0) return undefined;
      const whole = dimension === "usd" ? left[dimension] / parts : Math.max(1, Math.floor(left[dimension] / parts));
      const offer = dimension === "wallMs" ? left[dimension] : whole;
      share[dimension] = Math.min(wanted || offer, left[dimension]);
    }
    const { wallMs: _shared, ...setAside } = share;
    this.#reserved.set(childId, setAside);
    return share;
  }

  /** Called when the child has ended: releases its reservation; what it used stays counted. */
  settle(childId: string, { usage, cost, turns, calls = 0, uncertain = NO_AMOUNTS }: SettledShare): void {
    this.#reserved.delete(childId);
    this.request(usage, cost);
    this.addUncertain(uncertain);
    this.#spent.turns += turns;
    this.#spent.calls += calls;
  }

  /** A line for the model when the next step of a limit (50, 80, 95 %) is passed. */
  notice(limits: BudgetConfig, elapsedMs: number): string | undefined {
    let used = 0;
    for (const dimension of DIMENSIONS) {
      const limit = limits[dimension];
      if (limit) used = Math.max(used, (100 * this.#usedOf(dimension, elapsedMs)) / limit);
    }
    const step = [95, 80, 50].find((candidate) => used >= candidate) ?? 0;
    if (step <= this.#reportedStep) return undefined;
    this.#reportedStep = step;
    return describe(this.amountsLeft(limits, elapsedMs));
  }
}

function describe(left: Amounts): string {
  const parts: string[] = [];
  if (Number.isFinite(left.tokens)) parts.push(`${Math.round(left.tokens)} tokens`);
  if (Number.isFinite(left.usd)) parts.push(`$${left.usd.toFixed(2)}`);
  if (Number.isFinite(left.wallMs)) parts.push(`${Math.round(left.wallMs / 1000)} seconds`);
  if (Number.isFinite(left.turns)) parts.push(`${left.turns} turns`);
  if (Number.isFinite(left.calls)) parts.push(`${left.calls} tool calls`);
  return `Budget left: ${parts.join(", ")}. Finish the most important work first.`;
}

/** A limit in words for the user. */
export function limitText(dimension: BudgetDimension, amount: number): string {
  switch (dimension) {
    case "usd":
      return `$${amount < 0.1 ? Number(amount.toFixed(4)) : amount.toFixed(2)}`;
    case "wallMs":
      return `${Math.round(amount / 1000)} seconds`;
    case "calls":
      return `${amount} tool ${amount === 1 ? "call" : "calls"}`;
    default:
      return `${amount} ${amount === 1 ? dimension.slice(0, -1) : dimension}`;
  }
}

export const usedUpText = (dimension: BudgetDimension, limit: number): string =>
  `The limit of ${limitText(dimension, limit)} is used up.`;
