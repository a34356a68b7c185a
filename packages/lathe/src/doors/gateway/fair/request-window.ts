// Requests of a key in the last minute, for keys that may send only so many. Pure: the clock is passed in.

const MINUTE_MS = 60_000;

export class RequestWindow {
  readonly #now: () => number;
  /** When each counted request came, by key. */
  readonly #came = new Map<string, number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts the request and returns 0; else the milliseconds until another one may come. */
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
