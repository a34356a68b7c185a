// A screen on the terminal that a test's program runs at.

import { Screen } from "../src/screen/screen.ts";
import { ProcessTerminal } from "../src/terminal/process-terminal.ts";
import type { Symbols } from "../src/theme/symbols.ts";
import { COLOURS } from "./colours.ts";

export const terminal = new ProcessTerminal({ input: process.stdin, output: process.stdout, env: process.env });

export const screenWith = (live: ConstructorParameters<typeof Screen>[0]["live"]): Screen =>
  new Screen({
    output: terminal,
    colours: COLOURS,
    clock: { now: () => Date.now(), setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) },
    symbols: () => ({}) as Symbols,
    reflow: () => terminal.reflow,
    knowsSync: () => terminal.knowsSync,
    live,
  });
