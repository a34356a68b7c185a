// A screen on the emulator.

import { type LiveView, Screen } from "../src/screen/screen.ts";
import { REFLOW_XTERM_JS } from "../src/terminal/reflow.ts";
import type { Symbols } from "../src/theme/symbols.ts";
import { COLOURS } from "./colours.ts";
import type { Emulator } from "./emulator.ts";
import { drawNamed, PictureEmulator } from "./picture-emulator.ts";
import { TestClock } from "./test-clock.ts";

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
  const emulator = new PictureEmulator(columns, rows);
  const clock = new TestClock();
  const made: { view: LiveView } = { view: { rows: [] } };
  const screen = new Screen({
    output: emulator,
    colours: COLOURS,
    clock,
    live: () => made.view,
    symbols: () => ({}) as Symbols,
    reflow: () => REFLOW_XTERM_JS,
    draw: drawNamed,
    ...options,
  });
  return Object.assign(made, { emulator, clock, screen });
}
