// Calls that ask for the same thing within a short time share one request. A caller that gives up ends only its own
// wait, not the request.

export interface CoalescedParts<T> {
  /** Handles its own failures: it returns undefined then. */
  readonly load: () => Promise<T | undefined>;
  readonly now: () => number;
  /** How long an answer is reused for later callers. */
  readonly windowMs: number;
}

export class Coalesced<T> {
  readonly #parts: CoalescedParts<T>;
  #last: { readonly at: number; readonly answer: Promise<T | undefined> } | undefined;
  #isLoading = false;

  constructor(parts: CoalescedParts<T>) {
    this.#parts = parts;
  }

  /** Undefined if the request failed or the caller gave up. */
  async get(signal?: AbortSignal): Promise<T | undefined> {
    const { now, windowMs } = this.#parts;
    if (!this.#last || (!this.#isLoading && now() - this.#last.at >= windowMs))
      this.#last = { at: now(), answer: this.#load() };
    return raceWithAbort(this.#last.answer, signal);
  }

  async #load(): Promise<T | undefined> {
    this.#isLoading = true;
    try {
      return await this.#parts.load();
    } finally {
      this.#isLoading = false;
    }
  }
}

/** Resolves with undefined as soon as the signal aborts; the work goes on. */
async function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return work;
  if (signal.aborted) return undefined;
  let onAbort = (): void => {};
  const givenUp = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
