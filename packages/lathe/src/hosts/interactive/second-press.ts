// A key that does something when it is pressed twice: how long the first press counts.

import type { ClientDeps } from "@lathe/llm";

/** As long as the hint that names the second press is shown. */
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
    // Timers run before the terminal is read: on a busy machine a key that was pressed in time may not have been read yet, and the
    // time at which it is read says nothing about when it was pressed.
    const timer = this.#setTimer(() => setImmediate(forget), COUNTS_FOR_MS);
    const pressed = { key, timer };
    this.#pressed = pressed;
  }

  /** Whether the key that is pressed now is the second one. */
  isSecond(key: Key): boolean {
    return this.#pressed?.key === key;
  }

  /** The next press is a first one again. */
  forget(): void {
    this.#pressed?.timer.cancel();
    this.#pressed = undefined;
  }
}
