// A screen on the terminal that a test's program runs at.

import { Screen } from "../src/screen/screen.ts";
import { ProcessTerminal } from "../src/terminal/process-terminal.ts";
import type { TerminalOutput } from "../src/terminal/terminal.ts";
import type { Symbols } from "../src/theme/symbols.ts";
import { COLOURS } from "./colours.ts";
import { FrameWidths } from "./frame-widths.ts";

/** Knows which frames were drawn while the window had another width. */
export const widths = new FrameWidths(process.stdin);
export const terminal = new ProcessTerminal({ input: widths.input, output: process.stdout, env: process.env });

export const screenWith = (
  live: ConstructorParameters<typeof Screen>[0]["live"],
  output: TerminalOutput = terminal,
): Screen =>
  new Screen({
    output,
    colours: COLOURS,
    clock: { now: () => Date.now(), setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) },
    symbols: () => ({}) as Symbols,
    reflow: () => terminal.reflow,
    knowsSync: () => terminal.knowsSync,
    live,
  });
