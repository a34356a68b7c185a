// `lathe sesions list` is meant as a command, not as a prompt that costs money.

import type { Machine } from "../platform/machine/machine.ts";
import { SUBCOMMANDS, type Subcommand } from "../platform/options/option-table.ts";
import { usageError } from "../platform/usage/exit.ts";
import { nearest } from "../platform/usage/nearest.ts";
import { askYes } from "./ask-yes.ts";
import { verbsOf } from "./commands/usage.ts";

/** Shorter words resemble too many others. */
const SHORTEST = 5;

/** Commands of other agents, and our equivalents. */
const OF_OTHER_AGENTS: Readonly<Record<string, string>> = {
  chat: "lathe",
  exec: "lathe -p <request>",
  init: "lathe, then /init",
  install: "lathe plugin add <source>",
  run: "lathe -p <request>",
  upgrade: "lathe update",
  version: "lathe --version",
  web: "lathe serve",
};

/** A lone word that is a command of other agents is only sent as a prompt if the user confirms it. */
export async function sendsCommandWord(argv: readonly string[], machine: Machine): Promise<boolean> {
  const [first = ""] = argv;
  if (argv.length !== 1 || !Object.hasOwn(OF_OTHER_AGENTS, first)) return true;
  const hint = `Lathe has no command "${first}". Try: ${OF_OTHER_AGENTS[first]}.`;
  if (!machine.stdin.isTTY || !machine.stdout.isTTY)
    throw usageError(`${hint} To send the word as a prompt: lathe -p "${first}"`);
  return askYes(machine, `${hint}\nSend "${first}" to the model?`);
}

/** Words after options that form a command with its verb, or a command alone: commands must come first. */
export function lateCommand([first = "", second]: readonly string[]): Error | undefined {
  if (!Object.hasOwn(SUBCOMMANDS, first)) return undefined;
  if (second !== undefined && !verbsOf(first as Subcommand).includes(second)) return undefined;
  const words = second === undefined ? first : `${first} ${second}`;
  return usageError(`A command comes before its options: lathe ${words} … As a prompt: lathe -p "${words}"`);
}

/** Checks a first word that stands alone, or is followed by a verb of the command that it resembles. */
export function misspeltCommand([first = "", second]: readonly string[]): Error | undefined {
  if (first.length < SHORTEST || !/^[a-z]+$/.test(first)) return undefined;
  const guess = nearest(first, Object.keys(SUBCOMMANDS)) as Subcommand | undefined;
  if (guess === undefined || (second !== undefined && !verbsOf(guess).includes(second))) return undefined;
  return usageError(`Unknown command "${first}". Did you mean: lathe ${guess}? As a prompt: lathe -p "${first}"`);
}
