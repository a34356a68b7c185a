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

/** What users of Lathe and of other agents call parts of our commands. */
const OPTIONS_AND_WORDS: Readonly<Record<string, string>> = {
  continue: "lathe -c",
  fork: "lathe --resume <id> --fork",
  resume: "lathe --resume",
  redo: "lathe -c, then /redo",
  undo: "lathe rewind",
};

/** Verbs that are also requests to the model, often with piped text. */
const REQUESTS: ReadonlySet<string> = new Set(["check", "explain", "suggest", "test"]);
const MOST_NAMED = 3;

/** What to run instead of a lone word; undefined if the word is an ordinary prompt. */
function meantBy(word: string): string | undefined {
  if (Object.hasOwn(OF_OTHER_AGENTS, word)) return OF_OTHER_AGENTS[word];
  if (Object.hasOwn(OPTIONS_AND_WORDS, word)) return OPTIONS_AND_WORDS[word];
  if (REQUESTS.has(word)) return undefined;
  const commands = (Object.keys(SUBCOMMANDS) as Subcommand[]).filter((command) => verbsOf(command).includes(word));
  // Sessions are what most users mean; the other commands are named where sessions have no such verb.
  const named = commands.includes("sessions") ? ["sessions"] : commands.slice(0, MOST_NAMED);
  return named.length === 0 ? undefined : named.map((command) => `lathe ${command} ${word}`).join(", ");
}

/** A lone word that is a command of other agents, or a verb of ours, is only sent if the user confirms it. */
export async function sendsCommandWord(argv: readonly string[], machine: Machine): Promise<boolean> {
  const [first = ""] = argv;
  const meant = argv.length === 1 ? meantBy(first) : undefined;
  if (meant === undefined) return true;
  const hint = `Lathe has no command "${first}". Try: ${meant}.`;
  if (!machine.stdin.isTTY || !machine.stdout.isTTY)
    throw usageError(`${hint} To send the word as a prompt: lathe -p "${first}"`);
  return askYes(machine, `${hint}\nSend "${first}" to the model?`);
}

/**
 * Words after options that form a command with its verb, a command alone, or a command with one value that no sentence
 * would have there (`review HEAD~2`): commands must come first.
 */
export function lateCommand([first = "", second, ...others]: readonly string[]): Error | undefined {
  if (!Object.hasOwn(SUBCOMMANDS, first)) return undefined;
  const isVerb = second === undefined || verbsOf(first as Subcommand).includes(second);
  const isValue = second !== undefined && others.length === 0 && !/^[a-z]+$/.test(second);
  if (!isVerb && !isValue) return undefined;
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
