// `lathe sesions list` is meant as a command, not as a prompt that is paid for.

import { SUBCOMMANDS, type Subcommand } from "../platform/options/option-table.ts";
import { usageError } from "../platform/usage/exit.ts";
import { nearest } from "../platform/usage/nearest.ts";
import { verbsOf } from "./commands/usage.ts";

/** Short words are close to too many others. */
const SHORTEST = 5;

/** Of a first word alone, or followed by a verb of the command that it looks like. */
export function misspeltCommand([first = "", second]: readonly string[]): Error | undefined {
  if (first.length < SHORTEST || !/^[a-z]+$/.test(first)) return undefined;
  const guess = nearest(first, Object.keys(SUBCOMMANDS)) as Subcommand | undefined;
  if (guess === undefined || (second !== undefined && !verbsOf(guess).includes(second))) return undefined;
  return usageError(`Unknown command "${first}". Did you mean: lathe ${guess}? As a prompt: lathe -p "${first}"`);
}
