// `lathe setup coordinator` (alias hermes): prints the entry with which a controller starts the coordinator, or writes
// it into the controller's profile.

import { resolve } from "node:path";
import { checkCoordinator } from "../../doors/coordinator/check.ts";
import { entryAsJson, entryAsYaml, renderEntry } from "../../doors/coordinator/setup.ts";
import { installEntry } from "../../doors/coordinator/setup-install.ts";
import { isSessionName } from "../../doors/tmux/profile.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const OPTIONS = {
  root: { type: "string", multiple: true },
  profile: { type: "string" },
  repo: { type: "string" },
  mutation: { type: "string" },
  "worktree-name": { type: "string" },
  "session-command": { type: "string" },
  "profile-dir": { type: "string" },
  install: { type: "boolean" },
  smoke: { type: "boolean" },
  json: { type: "boolean" },
} as const;

export const setupCoordinator: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, OPTIONS, "setup");
  const { cwd, env, userHome, stdout } = machine;
  if (positionals.length > 0 || values.root === undefined)
    throw usageError("Use: lathe setup coordinator --root <dir>. See: lathe setup --help");
  const { install = false, smoke = false, json = false, "profile-dir": profileDir } = values;
  if (install !== (profileDir !== undefined)) throw usageError("--install and --profile-dir <dir> go together.");
  if (install && json) throw usageError("--json cannot be combined with --install.");
  const { profile, repo, mutation: mutations } = values;
  const sessionCommand = commandOf(values["worktree-name"], values["session-command"]);
  const places = { cwd, home: homePaths(env, userHome).home };
  const { entry, configuration } = renderEntry(
    { roots: values.root, profile, repo, mutations, sessionCommand },
    places,
  );
  if (smoke) stdout.write(checkCoordinator(configuration, LATHE_VERSION, json));
  if (install && profileDir !== undefined) {
    const { file, outcome } = await installEntry(resolve(cwd, profileDir), entry);
    stdout.write(outcome === "unchanged" ? `${file} has this entry already.\n` : `${TOLD[outcome]} ${file}.\n`);
  } else if (!smoke) stdout.write(json ? entryAsJson(entry) : entryAsYaml(entry));
  return EXIT.done;
};

const TOLD = {
  added: "Added the entry lathe_coordinator to",
  updated: "Updated the entry lathe_coordinator in",
} as const;

function commandOf(worktree: string | undefined, command: string | undefined): string {
  if (worktree === undefined) return command ?? "lathe --worktree";
  if (command !== undefined) throw usageError("Give --worktree-name or --session-command, not both.");
  if (isSessionName(worktree)) return `lathe --worktree ${worktree}`;
  throw usageError(`--worktree-name is a name of letters, digits, "-" and "_". Not "${worktree.slice(0, 80)}".`);
}
