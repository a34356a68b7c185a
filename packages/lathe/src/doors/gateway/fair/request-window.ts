// Counts a key's requests of the last minute, for keys with a limit per minute. Pure: the clock is passed in.

const MINUTE_MS = 60_000;

export class RequestWindow {
  readonly #now: () => number;
  /** Times of the counted requests, by key. */
  readonly #came = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts the request and returns 0, or returns the milliseconds until the next one is allowed. */
  take(key: string, perMinute: number): number {
    const now = this.#now();
    const recent = (this.#came.get(key) ?? []).filter((at) => at > now - MINUTE_MS && at <= now);
    this.#came.set(key, recent);
    const [oldest] = recent;
    if (recent.length >= perMinute && oldest !== undefined) return oldest + MINUTE_MS - now;
    recent.push(now);
    return 0;
  }
}
