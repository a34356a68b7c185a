// Waits for a change of a server's state, with a deadline.

export class ChangeWaiter {
  readonly #listeners = new Set<() => void>();

  /** Reports a change: everything that waits checks its condition again. */
  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves with whether the condition became true in time. */
  waitFor(isTrue: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const check = (): void => {
        if (isTrue()) end(() => resolve(true));
      };
      const abort = (): void => end(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => end(() => resolve(isTrue())), timeoutMs);
      this.#listeners.add(check);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}
