// Waits for something that a server says. Every wait has an end.

export class ChangesAwaited {
  readonly #listeners = new Set<() => void>();

  /** Something has changed: whoever waits looks again. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Whether it came true in time. */
  until(isTrue: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const look = (): void => {
        if (isTrue()) end(() => resolve(true));
      };
      const abort = (): void => end(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => end(() => resolve(isTrue())), timeoutMs);
      this.#listeners.add(look);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}
