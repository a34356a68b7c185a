// What a vendor's account may take in a minute: requests and tokens, as configured or as the vendor says it with its answers. Both
// flow back evenly. Pure: the clock is passed in.

import type { RateLimitInfo } from "@lathe/llm";

const MINUTE_MS = 60_000;
const LONGEST_REST_MS = 60 * MINUTE_MS;
/** Where nothing is known, keys take turns by requests. */
const SHARE_OF_UNKNOWN = 0.001;

/** Per minute; undefined where nothing is known: then nothing waits. */
export interface MinuteLimits {
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
}

/** One of the two: full at first, filled again evenly within a minute. */
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
    this.#flow(now);
    this.#level = Math.min(this.#level, limit);
    this.#limit = limit;
  }

  /** The vendor knows better, but not of requests that are on their way. */
  atMost(level: number, now: number): void {
    this.#flow(now);
    this.#level = Math.min(this.#level, level);
  }

  take(amount: number, now: number): void {
    this.#flow(now);
    this.#level -= amount;
  }

  /** What needs more than there ever is goes when the level is full. */
  waitMs(amount: number, now: number): number {
    this.#flow(now);
    const missing = Math.min(amount, this.#limit) - this.#level;
    return missing <= 1e-9 ? 0 : Math.ceil((missing * MINUTE_MS) / this.#limit);
  }

  #flow(now: number): void {
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
  /** Requests that the vendor has not answered yet: it does not count them. */
  #onTheWay = 0;

  constructor(now: () => number, configured: MinuteLimits = {}) {
    this.#now = now;
    this.#configured = configured;
    if (configured.requests !== undefined) this.#requests = new Level(configured.requests, now());
    if (configured.tokens !== undefined) this.#tokens = new Level(configured.tokens, now());
  }

  /** The part of a minute's share that a request takes. */
  shareOf(tokens: number): number {
    if (this.#requests === undefined && this.#tokens === undefined) return SHARE_OF_UNKNOWN;
    return Math.max(
      this.#requests === undefined ? 0 : 1 / this.#requests.limit,
      this.#tokens === undefined ? 0 : tokens / this.#tokens.limit,
    );
  }

  /** 0 when such a request may go now. */
  waitMs(tokens: number): number {
    const now = this.#now();
    return Math.max(this.closedMs(), this.#requests?.waitMs(1, now) ?? 0, this.#tokens?.waitMs(tokens, now) ?? 0);
  }

  take(tokens: number): void {
    const now = this.#now();
    this.#requests?.take(1, now);
    this.#tokens?.take(tokens, now);
    this.#onTheWay++;
  }

  /** It was answered or has failed; `unused`: tokens that it did not take after all. */
  done(unused: number): void {
    this.#onTheWay--;
    this.#tokens?.take(-unused, this.#now());
  }

  /** With the headers of an answer; configured limits stay. */
  observe({ requestsLimit, requestsRemaining, tokensLimit, tokensRemaining }: RateLimitInfo): void {
    const now = this.#now();
    this.#requests = learned(this.#requests, this.#configured.requests ?? requestsLimit, now);
    this.#tokens = learned(this.#tokens, this.#configured.tokens ?? tokensLimit, now);
    // The answered request itself is in what remains.
    if (requestsRemaining !== undefined) this.#requests?.atMost(requestsRemaining - (this.#onTheWay - 1), now);
    if (tokensRemaining !== undefined) this.#tokens?.atMost(tokensRemaining, now);
  }

  /** The vendor wants nothing for so long; it is asked again after an hour, because what it says may be wrong. */
  close(forMs: number): void {
    const now = this.#now();
    const until = Math.max(now + this.closedMs(), now + Math.min(forMs, LONGEST_REST_MS));
    this.#closed = { from: now, until };
  }

  /** How long the vendor wants nothing yet. A clock that was set back ends it. */
  closedMs(): number {
    const now = this.#now();
    return this.#closed === undefined || now < this.#closed.from ? 0 : Math.max(0, this.#closed.until - now);
  }
}

function learned(level: Level | undefined, limit: number | undefined, now: number): Level | undefined {
  if (limit === undefined || limit <= 0) return level;
  if (level === undefined) return new Level(limit, now);
  if (level.limit !== limit) level.setLimit(limit, now);
  return level;
}
