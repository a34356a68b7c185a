// Git subcommands that discard work.

import type { ShellDanger } from "../../contract/shell.ts";
import type { ShellWord } from "./shell-words.ts";

/** Options per subcommand; git also accepts unambiguous prefixes of long ones. */
const OPTIONS: Readonly<Record<string, readonly [RegExp, string]>> = {
  reset: [/^--(?:h|m|k)/, "it discards changes"],
  clean: [/^(?:-\w*f|--f)/, "it deletes untracked files"],
  branch: [/^(?:-\w*[DMCf]|--f|--del)/, "it drops or moves a branch"],
  switch: [/^(?:-\w*[fC]|--f|--di)/, "it discards changes"],
  push: [/^(?:-\w*[fd]|--f|--m|--d|--pru)/, "it overwrites or deletes what others have"],
  rm: [/^(?:-\w*[rf]|--f)/, "it deletes files"],
  tag: [/^(?:-\w*[df]|--f|--d)/, "it drops or moves a tag"],
  "checkout-index": [/^(?:-\w*[fa]|--f|--a)/, "it overwrites files"],
  "read-tree": [/^(?:-\w*u|--r)/, "it overwrites files"],
  "update-ref": [/./, "it moves or drops a branch"],
};

/** Second words that discard something; those in FORCED only with an option. */
const SECOND: Readonly<Record<string, RegExp>> = {
  stash: /^(?:drop|clear)$/,
  reflog: /^(?:expire|delete)$/,
  worktree: /^(?:remove|prune)$/,
  notes: /^(?:remove|prune)$/,
  submodule: /^(?:deinit|update)$/,
};

const FORCED: Readonly<Record<string, string>> = {
  "worktree remove": "it deletes a worktree with its changes",
  "submodule deinit": "it deletes submodules with their changes",
  "submodule update": "it discards changes in submodules",
};

const WHOLE = new Set(["filter-branch", "filter-repo", "prune"]);

export function gitDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const [, subcommand] = words;
  if (!subcommand) return undefined;
  const name = subcommand.value;
  const shape = `git ${name}`;
  if (!subcommand.isKnown) return { shape: "git", reason: "its subcommand is not known before it runs" };
  if (WHOLE.has(name)) return { shape, reason: "it rewrites or drops history", named: [0, 1] };
  if (name === "checkout") return checkoutDanger(words);
  if (name === "restore") return restoreDanger(words);
  if (Object.hasOwn(SECOND, name)) return secondDanger(words, name, SECOND[name] as RegExp);
  if (!Object.hasOwn(OPTIONS, name)) return undefined;
  const [option, reason] = OPTIONS[name] as readonly [RegExp, string];
  const found = indexes(words, (value) => option.test(value) || (name === "push" && /^\+|^:|^[^-].*:$/.test(value)));
  if (found.length > 0) return dangerAt(`${shape} ${words[found[0] as number]?.value}`, reason, found);
  const unsure = words.slice(2).find(({ isKnown, mayBeOption }) => !isKnown && (mayBeOption || name === "push"));
  return unsure ? { shape, reason: `${unsure.value} is not known before it runs: ${reason}` } : undefined;
}

/** Positions from the third word up to `--`. */
function indexes(words: readonly ShellWord[], is: (value: string) => boolean): number[] {
  const dashes = words.findIndex(({ value }) => value === "--");
  return words.flatMap(({ value, isKnown }, index) =>
    index > 1 && isKnown && (dashes < 0 || index < dashes) && is(value) ? [index] : [],
  );
}

function dangerAt(shape: string, reason: string, found: readonly number[]): ShellDanger {
  return { shape, reason, named: [0, 1, ...found] };
}

function secondDanger(words: readonly ShellWord[], name: string, second: RegExp): ShellDanger | undefined {
  // Options may come first, perhaps with a value: `submodule --quiet deinit`, `notes --ref x remove`.
  const at = words.findIndex(({ value, isKnown }, index) => {
    if (index < 2) return false;
    const isAfterOption = index > 2 && words[index - 1]?.value.startsWith("-");
    return !isKnown || second.test(value) || !(value.startsWith("-") || isAfterOption);
  });
  const word = words[at];
  if (word && !word.isKnown) return { shape: `git ${name}`, reason: `${word.value} is not known before it runs` };
  if (!word || !second.test(word.value)) return undefined;
  const shape = `git ${name} ${word.value}`;
  const reason = FORCED[`${name} ${word.value}`];
  if (reason === undefined) return dangerAt(shape, "it drops data that git keeps", [at]);
  const forced = indexes(words, (value) => /^(?:-\w*f|--f(?:o|$))/.test(value));
  if (forced.length > 0) return dangerAt(`${shape} --force`, reason, [at, ...forced]);
  const unsure = words.slice(at + 1).find(({ isKnown, mayBeOption }) => !isKnown && mayBeOption);
  return unsure ? { shape, reason: `${unsure.value} may be an option` } : undefined;
}

/**
 * With paths it discards changes; with a branch it does not. We take a single word that does not look like a path for a
 * branch.
 */
function checkoutDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const reason = "it discards changes to files";
  const shape = "git checkout of paths";
  const unsure = words.slice(2).find(({ isKnown }) => !isKnown);
  if (unsure) return { shape, reason: `${unsure.value} is not known before it runs: ${reason}` };
  const dashes = words.findIndex(({ value }) => value === "--");
  if (dashes >= 0) return dashes + 1 < words.length ? dangerAt(shape, reason, rangeFrom(words, 2)) : undefined;
  const forced = indexes(words, (value) => /^(?:-\w*[fBp]|--f|--pat|--ou|--th|--o$|--the)/.test(value));
  if (forced.length > 0) return dangerAt(`git checkout ${words[forced[0] as number]?.value}`, reason, forced);
  const creates = indexes(words, (value) => /^(?:-\w*b|--orp|-t|--tr|-d|--det)/.test(value)).length > 0;
  const operands = indexes(words, (value) => !value.startsWith("-"));
  if (creates) return undefined;
  const isPath = operands.length > 1 || operands.some((index) => looksLikePath((words[index] as ShellWord).value));
  return isPath ? dangerAt(shape, reason, operands) : undefined;
}

function looksLikePath(word: string): boolean {
  if (/^v?\d+(?:\.\d+)+$/.test(word)) return false;
  return /^[.~/:]|\/$|[*?[]|\.[A-Za-z]\w*$/.test(word);
}

function rangeFrom(words: readonly ShellWord[], from: number): number[] {
  return [...words.keys()].slice(from);
}

function restoreDanger(words: readonly ShellWord[]): ShellDanger | undefined {
  const reason = "it discards changes to files";
  const isStaged = indexes(words, (value) => /^(?:-\w*S|--sta)/.test(value)).length > 0;
  const isWorktree = indexes(words, (value) => /^(?:-\w*W|--wo)/.test(value)).length > 0;
  const unsure = words.slice(2).find(({ isKnown, mayBeOption }) => !isKnown && mayBeOption);
  if (isStaged && !isWorktree && !unsure) return undefined;
  if (words.some(({ isKnown }) => !isKnown)) return { shape: "git restore", reason };
  return dangerAt("git restore", reason, rangeFrom(words, 2));
}
