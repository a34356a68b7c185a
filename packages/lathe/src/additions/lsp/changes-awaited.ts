// Waits for a change of a server's state, with a deadline.

export class ChangesAwaited {
  readonly #listeners = new Set<() => void>();

  /** Reports a change: everything that waits checks its condition again. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves with whether the condition became true in time. */
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
