// Runs work that makes room in a session (a summary, a briefing), one at a time; the next input waits until it has
// ended.

export class Maintenance {
  #ended: Promise<void> | undefined;

  get isRunning(): boolean {
    return this.#ended !== undefined;
  }

  async whenIdle(): Promise<void> {
    while (this.#ended) await this.#ended;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.whenIdle();
    const running = work();
    // Waiters only need to know that the work has ended, not how.
    const ended = running.then(
      () => {},
      () => {},
    );
    this.#ended = ended;
    try {
      return await running;
    } finally {
      if (this.#ended === ended) this.#ended = undefined;
    }
  }
}
