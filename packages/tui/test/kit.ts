// A screen on the emulator, with a clock that stands still until it is told to go on.

import { type LiveView, Screen, type ScreenClock } from "../src/screen/screen.ts";
import { REFLOW_XTERM_JS } from "../src/terminal/reflow.ts";
import type { Symbols } from "../src/theme/symbols.ts";
import { COLOURS } from "./colours.ts";
import { Emulator } from "./emulator.ts";

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

export interface Stage {
  readonly emulator: Emulator;
  readonly clock: TestClock;
  readonly screen: Screen;
  view: LiveView;
}

export function stage(
  columns: number,
  rows: number,
  options: { sync?: boolean; knowsSync?: () => boolean | undefined } = {},
): Stage {
  const emulator = new Emulator(columns, rows);
  const clock = new TestClock();
  const made: { view: LiveView } = { view: { rows: [] } };
  const screen = new Screen({
    output: emulator,
    colours: COLOURS,
    clock,
    live: () => made.view,
    symbols: () => ({}) as Symbols,
    reflow: () => REFLOW_XTERM_JS,
    ...options,
  });
  return Object.assign(made, { emulator, clock, screen });
}
