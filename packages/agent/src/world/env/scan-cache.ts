// Listings of trees that were walked a moment ago. Which walk is young enough, and which a change makes worthless: text in, text out.

import type { Clock } from "../process/clock.ts";

/** How long listings live and how many are kept. */
export interface ScanLimits {
  /** 0: nothing is kept. */
  readonly ttlMs: number;
  /** An answer "there is nothing" from an older listing is checked once more. */
  readonly emptyRecheckMs: number;
  readonly entries: number;
}

const DEFAULTS: ScanLimits = { ttlMs: 1_000, emptyRecheckMs: 200, entries: 16 };

interface Entry<T> {
  /** Real path of the walked directory. */
  readonly root: string;
  readonly madeAt: number;
  readonly listing: Promise<T>;
}

/** A listing and whether an empty answer from it has to be checked. */
export interface Scanned<T> {
  readonly listing: T;
  readonly isOld: boolean;
}

/** Keeps listings by directory and kind of walk; the oldest go first. */
export class ScanCache<T> {
  readonly #clock: Clock;
  readonly #limits: ScanLimits;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, limits: Partial<ScanLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULTS, ...limits };
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** `walk` runs when there is no young listing; one that is not worth keeping is given to its callers alone. */
  async get(
    root: string,
    kind: string,
    walk: () => Promise<T>,
    isWorthKeeping: (listing: T) => boolean,
  ): Promise<Scanned<T>> {
    const key = `${kind}\0${root}`;
    const now = this.#clock.now();
    const known = this.#entries.get(key);
    if (known && now - known.madeAt < this.#limits.ttlMs) {
      return { listing: await known.listing, isOld: now - known.madeAt > this.#limits.emptyRecheckMs };
    }
    const entry: Entry<T> = { root, madeAt: now, listing: walk() };
    this.#entries.delete(key);
    if (this.#limits.ttlMs > 0) this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > this.#limits.entries) this.#entries.delete(oldest);
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    try {
      const listing = await entry.listing;
      if (!isWorthKeeping(listing)) forget();
      return { listing, isOld: false };
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Something at or below this real path has changed; without one, anything may have. */
  drop(path?: string): void {
    for (const [key, { root }] of this.#entries) {
      if (path === undefined || path === root || path.startsWith(root === "/" ? "/" : `${root}/`)) {
        this.#entries.delete(key);
      }
    }
  }
}
