// How many requests and tokens a vendor's account allows per minute, as configured or as the vendor reports with its
// answers. Both refill evenly. Pure: the clock is passed in.

import type { RateLimitInfo } from "@lathe/llm";

const MINUTE_MS = 60_000;
const LONGEST_REST_MS = 60 * MINUTE_MS;
/** If no limit is known, keys take turns by number of requests. */
const SHARE_OF_UNKNOWN = 0.001;

/** Limits per minute; undefined if unknown: then no request waits. */
export interface MinuteLimits {
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
}

/** One of the two budgets: starts full and refills evenly within a minute. */
class Level {
  #limit: number;
  #level: number;
  #at: number;

  constructor(limit: number, now: number) {
    this.#limit = limit;
    this.#level = limit;
    this.#at = now;
  }

  get limit(): number {
    return this.#limit;
  }

  setLimit(limit: number, now: number): void {
    this.#refill(now);
    this.#level = Math.min(this.#level, limit);
    this.#limit = limit;
  }

  /** The vendor's own count is more exact, but does not include requests that are still on their way. */
  atMost(level: number, now: number): void {
    this.#refill(now);
    this.#level = Math.min(this.#level, level);
  }

  take(amount: number, now: number): void {
    this.#refill(now);
    this.#level -= amount;
  }

  /** An amount above the limit may go when the level is full. */
  waitMs(amount: number, now: number): number {
    this.#refill(now);
    const missing = Math.min(amount, this.#limit) - this.#level;
    return missing <= 1e-9 ? 0 : Math.ceil((missing * MINUTE_MS) / this.#limit);
  }

  #refill(now: number): void {
    const passed = Math.max(0, now - this.#at);
    this.#level = Math.min(this.#limit, this.#level + (passed * this.#limit) / MINUTE_MS);
    this.#at = now;
  }
}

export class AccountLimits {
  readonly #now: () => number;
  readonly #configured: MinuteLimits;
  #requests: Level | undefined;
  #tokens: Level | undefined;
  #closed: { readonly from: number; readonly until: number } | undefined;
  /** Requests sent but not answered: the vendor has not counted them yet. */
  #inFlight = 0;

  constructor(now: () => number, configured: MinuteLimits = {}) {
    this.#now = now;
    this.#configured = configured;
    if (configured.requests !== undefined) this.#requests = new Level(configured.requests, now());
    if (configured.tokens !== undefined) this.#tokens = new Level(configured.tokens, now());
  }

  /** The fraction of a minute's budget that a request takes. */
  shareOf(tokens: number): number {
    if (this.#requests === undefined && this.#tokens === undefined) return SHARE_OF_UNKNOWN;
    return Math.max(
      this.#requests === undefined ? 0 : 1 / this.#requests.limit,
      this.#tokens === undefined ? 0 : tokens / this.#tokens.limit,
    );
  }

  /** 0 if such a request may go now. */
  waitMs(tokens: number): number {
    const now = this.#now();
    return Math.max(this.closedMs(), this.#requests?.waitMs(1, now) ?? 0, this.#tokens?.waitMs(tokens, now) ?? 0);
  }

  take(tokens: number): void {
    const now = this.#now();
    this.#requests?.take(1, now);
    this.#tokens?.take(tokens, now);
    this.#inFlight++;
  }

  /** Call when a request was answered or has failed; `unused` is the number of reserved tokens it did not take. */
  finish(unused: number): void {
    this.#inFlight--;
    this.#tokens?.take(-unused, this.#now());
  }

  /** Takes limits from the headers of an answer; configured limits stay. */
  observe({ requestsLimit, requestsRemaining, tokensLimit, tokensRemaining }: RateLimitInfo): void {
    const now = this.#now();
    this.#requests = updateLevel(this.#requests, this.#configured.requests ?? requestsLimit, now);
    this.#tokens = updateLevel(this.#tokens, this.#configured.tokens ?? tokensLimit, now);
    // What remains already excludes the answered request itself.
    if (requestsRemaining !== undefined) this.#requests?.atMost(requestsRemaining - (this.#inFlight - 1), now);
    if (tokensRemaining !== undefined) this.#tokens?.atMost(tokensRemaining, now);
  }

  /** Stops requests for the time the vendor asked for, but for an hour at most, since the vendor may be wrong. */
  close(forMs: number): void {
    const now = this.#now();
    const until = Math.max(now + this.closedMs(), now + Math.min(forMs, LONGEST_REST_MS));
    this.#closed = { from: now, until };
  }

  /** How much longer the vendor wants no requests. A clock that was set back ends this. */
  closedMs(): number {
    const now = this.#now();
    return this.#closed === undefined || now < this.#closed.from ? 0 : Math.max(0, this.#closed.until - now);
  }
}

function updateLevel(level: Level | undefined, limit: number | undefined, now: number): Level | undefined {
  if (limit === undefined || limit <= 0) return level;
  if (level === undefined) return new Level(limit, now);
  if (level.limit !== limit) level.setLimit(limit, now);
  return level;
}
