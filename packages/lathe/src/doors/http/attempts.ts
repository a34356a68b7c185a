// Wrong tokens and codes per address. After too many, the server refuses further attempts from that address for a
// while.

const MOST = 20;
const WINDOW_MS = 60_000;
/**
 * Above this many, the oldest addresses are forgotten, so that an attacker with many addresses cannot fill the memory.
 */
const MOST_ADDRESSES = 10_000;

export class Attempts {
  readonly #now: () => number;
  readonly #wrong = new Map<string, { count: number; readonly since: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Seconds until this address may try again; 0 if it may try now. */
  waitFor(address: string): number {
    const wrong = this.#wrong.get(address);
    if (wrong === undefined || wrong.count < MOST) return 0;
    const left = wrong.since + WINDOW_MS - this.#now();
    if (left > 0) return Math.ceil(left / 1000);
    this.#wrong.delete(address);
    return 0;
  }

  noteFailure(address: string): void {
    const now = this.#now();
    const wrong = this.#wrong.get(address);
    if (wrong !== undefined && wrong.since + WINDOW_MS > now) {
      wrong.count++;
      return;
    }
    this.#wrong.delete(address);
    this.#wrong.set(address, { count: 1, since: now });
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > MOST_ADDRESSES && oldest !== undefined) this.#wrong.delete(oldest);
  }
}
