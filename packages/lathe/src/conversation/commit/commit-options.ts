// Reads the options of `lathe commit` and `/commit`.

import { usageError } from "../../platform/usage/exit.ts";
import type { CommitOptions } from "./commit.ts";

const FLAGS: Readonly<Record<string, Partial<CommitOptions>>> = {
  "--all": { all: true },
  "-a": { all: true },
  "--split": { split: true },
  "--yes": { yes: true },
  "-y": { yes: true },
  "--dry-run": { dryRun: true },
  "--no-verify": { noVerify: true },
  "--continue": { unfinished: "continue" },
  "--abort": { unfinished: "abort" },
};

export const COMMIT_FLAGS = Object.keys(FLAGS).filter((name) => name.startsWith("--"));

const NONE: CommitOptions = { all: false, split: false, yes: false, dryRun: false, noVerify: false };

/** `rest`: the other words, in their order. */
export function parseCommitOptions(argv: readonly string[]): {
  readonly wishes: CommitOptions;
  readonly rest: readonly string[];
} {
  let wishes = NONE;
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    const inline = word.startsWith("--context=") ? word.slice("--context=".length) : undefined;
    if (word === "--context" || inline !== undefined) {
      const context = inline ?? argv[++i];
      if (context === undefined || context.trim() === "")
        throw usageError("--context needs a text: what the model should know about the change.");
      wishes = { ...wishes, context };
    } else if (Object.hasOwn(FLAGS, word)) wishes = { ...wishes, ...FLAGS[word] };
    else rest.push(word);
  }
  const { unfinished, all, split, dryRun } = wishes;
  if (argv.includes("--continue") && argv.includes("--abort"))
    throw usageError("Use only one of --continue and --abort.");
  if (unfinished !== undefined && (all || split || dryRun || wishes.context !== undefined))
    throw usageError(`--${unfinished} takes no other options: its plan already exists.`);
  if (wishes.yes && dryRun) throw usageError("Use only one of --yes and --dry-run.");
  return { wishes, rest };
}
