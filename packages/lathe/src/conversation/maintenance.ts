// What makes room in a session (a summary, a briefing): one after the other, and the next input waits for its end.

export class Maintenance {
  #ended: Promise<void> | undefined;

  get isRunning(): boolean {
    return this.#ended !== undefined;
  }

  async settled(): Promise<void> {
    while (this.#ended) await this.#ended;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.settled();
    const running = work();
    // Who waits for the end does not care how it came.
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
