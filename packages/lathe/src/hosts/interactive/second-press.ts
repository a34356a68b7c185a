// A key that acts when it is pressed twice, and how long the first press counts.

import type { ClientDeps } from "@lathe/llm";

/** The hint about the second press is shown for the same time. */
export const COUNTS_FOR_MS = 2_000;

export class SecondPress<Key extends string> {
  readonly #setTimer: ClientDeps["setTimer"];
  #pressed: { readonly key: Key; readonly timer: { cancel(): void } } | undefined;

  constructor(setTimer: ClientDeps["setTimer"]) {
    this.#setTimer = setTimer;
  }

  /** The key was pressed for the first time. */
  begin(key: Key): void {
    this.forget();
    const forget = (): void => {
      if (this.#pressed === pressed) this.#pressed = undefined;
    };
    // Timers run before the terminal is read, so on a busy machine a key pressed in time may not have been read yet,
    // and the time at which it is read does not tell when it was pressed.
    const timer = this.#setTimer(() => setImmediate(forget), COUNTS_FOR_MS);
    const pressed = { key, timer };
    this.#pressed = pressed;
  }

  /** Whether this press of the key is the second one. */
  isSecond(key: Key): boolean {
    return this.#pressed?.key === key;
  }

  /** The next press counts as a first one again. */
  forget(): void {
    this.#pressed?.timer.cancel();
    this.#pressed = undefined;
  }
}
