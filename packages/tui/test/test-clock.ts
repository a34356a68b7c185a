// A clock that only moves when the test advances it.

import type { ScreenClock } from "../src/screen/screen.ts";

export class TestClock implements ScreenClock {
  #now = 0;
  #timers: { at: number; call: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  setTimeout(call: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, call };
    this.#timers.push(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.#now = Math.max(this.#now, due.at);
      due.call();
    }
    this.#now = until;
  }
}
