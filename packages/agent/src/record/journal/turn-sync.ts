// When a journal's bytes go to the disk: at the end of each turn, one sync after the other, and who waits for it.

export class TurnSync {
  readonly #sync: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Begins a sync and waits for the one before it: the request that follows a turn need not wait for the disk. */
  async turnEnd(): Promise<void> {
    const before = this.#last;
    this.#begin();
    await before;
  }

  /** Resolves when everything written so far is on the disk. */
  async inputEnd(): Promise<void> {
    this.#begin();
    await this.#last;
  }

  /** Resolves when no sync is under way; one that failed has said so to the turn or input that waited for it. */
  async settle(): Promise<void> {
    await this.#last.catch(() => {});
  }

  #begin(): void {
    this.#last = this.#last.then(this.#sync);
    // The next turn's end waits for it and reports a failure.
    this.#last.catch(() => {});
  }
}
