// Limits how many children of a session work at a time; the others wait in the order in which they came.

export class Slots {
  readonly #most: () => number;
  /** Fixed when the first child asks; 0: no limit. */
  #limit: number | undefined;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: () => number) {
    this.#most = most;
  }

  /** Undefined if a slot is free now. */
  take(signal: AbortSignal): Promise<void> | undefined {
    this.#limit ??= this.#most();
    if (this.#limit === 0 || this.#taken < this.#limit) {
      this.#taken += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(begin);
    });
  }

  /** Passes the slot to the next child in the queue. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }
}
