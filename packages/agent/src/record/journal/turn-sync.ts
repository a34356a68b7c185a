// When a journal is synced to disk: at the end of each turn, one sync after the other, and which callers wait for it.

export class TurnSync {
  readonly #sync: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Begins a sync and waits for the previous one: the request that follows a turn need not wait for the disk. */
  async turnEnd(): Promise<void> {
    const before = this.#last;
    this.#begin();
    await before;
  }

  /** Resolves when everything written so far is on disk. */
  async inputEnd(): Promise<void> {
    this.#begin();
    await this.#last;
  }

  /** Resolves when no sync is in progress; the turn or input that waited for a failed one has its error. */
  async settle(): Promise<void> {
    await this.#last.catch(() => {});
  }

  #begin(): void {
    this.#last = this.#last.then(this.#sync);
    // The end of the next turn waits for it and reports a failure.
    this.#last.catch(() => {});
  }
}
