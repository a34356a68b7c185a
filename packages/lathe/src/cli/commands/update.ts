// `lathe update [--check] [--yes]`: updates Lathe the way it was installed, after asking (decision 0321).

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoteShell } from "@lathe/agent/world";
import { isNewer, isPackageName, newestVersion, runForUser } from "../../config/update/newer-version.ts";
import { Run } from "../../hosts/run.ts";
import { packageFolder } from "../../platform/home/package-folder.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { askYes } from "../ask-yes.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const PATIENCE_MS = 600_000;

export const updateCommand: Command = (argv, machine) =>
  update(argv, machine, dirname(realpathSync(packageFolder("schemas"))));

/** `folder` is that of the running package. */
export async function update(argv: readonly string[], machine: Machine, folder: string): Promise<ExitCode> {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = verbArgs(argv, { check: flag, yes: { ...flag, short: "y" } }, "update");
  if (positionals.length > 0)
    throw usageError(
      `lathe update takes no words. To send them as a prompt: lathe -p "update ${positionals.join(" ")}"`,
    );
  const checkout = checkoutAround(folder);
  const { command, news } = checkout
    ? { command: checkoutUpdate(checkout), news: await newCommits(checkout, machine) }
    : await packageUpdate(folder, machine);
  machine.stdout.write(`${news ?? `Lathe ${LATHE_VERSION} is up to date.`}\n`);
  if (news === undefined) return EXIT.done;
  machine.stdout.write(`To update: ${command}\n`);
  if (values.check) return EXIT.done;
  if (!(values.yes || (await askYes(machine, "Run this now?")))) {
    if (!machine.stdin.isTTY)
      machine.stdout.write("Nothing was changed. To run it without a question: lathe update --yes\n");
    return EXIT.done;
  }
  const { exitCode } = await runForUser(machine, command, PATIENCE_MS, (text) => void machine.stdout.write(text));
  if (exitCode !== 0)
    throw new CliError(EXIT.failed, `The update failed (exit code ${exitCode}). Try it yourself: ${command}`);
  machine.stdout.write("Updated. Sessions that are open keep running the old version.\n");
  return EXIT.done;
}

/** The repository around the package, if Lathe runs from its sources. */
function checkoutAround(folder: string): string | undefined {
  const root = dirname(dirname(folder));
  return existsSync(join(root, ".git")) ? root : undefined;
}

const checkoutUpdate = (root: string): string =>
  `cd ${quoteShell(root)} && git pull --ff-only && npm ci && npm run build`;

async function newCommits(root: string, machine: Machine): Promise<string | undefined> {
  const git = `git -C ${quoteShell(root)}`;
  const { exitCode, stdout, stderr } = await runForUser(
    machine,
    `${git} fetch --quiet && ${git} rev-list --count HEAD..@{upstream}`,
    PATIENCE_MS,
  );
  if (exitCode !== 0)
    throw new CliError(EXIT.failed, `Cannot look for new commits in ${root}: ${stderr.trim().split("\n")[0]}`);
  const count = Number(stdout.trim());
  return count === 0 ? undefined : `${count} new ${count === 1 ? "commit" : "commits"} for ${root}.`;
}

async function packageUpdate(folder: string, machine: Machine): Promise<{ command: string; news: string | undefined }> {
  const workspace = await new Run(machine).open({});
  const name = workspace.settings["updates.package"];
  const command = commandFor(folder, isPackageName(name) ? `${name}@latest` : "<package>");
  if (command === undefined)
    throw usageError(`Lathe is installed in ${folder}, not globally: update it there, the way it was installed.`);
  // On the user's registry, the name in our package.json may belong to someone else.
  if (!isPackageName(name))
    throw usageError(
      `Lathe does not know which package it was installed from. Run: ${command}, or name the package once: lathe config set updates.package <package>`,
    );
  const newest = await newestVersion(workspace, name);
  if (newest === undefined)
    throw new CliError(EXIT.failed, `npm does not know the newest version of ${name}. Is the registry reachable?`);
  const news = isNewer(newest, LATHE_VERSION) ? `Version ${newest} is out; this is ${LATHE_VERSION}.` : undefined;
  return { command, news };
}

/**
 * The command that updates the package where it is installed now; undefined if the folder is not a package manager's
 * global one.
 */
export function commandFor(folder: string, name: string): string | undefined {
  if (/\/pnpm\/global\//.test(folder)) return `pnpm add -g ${name}`;
  if (/\/\.bun\/install\/global\//.test(folder)) return `bun add -g ${name}`;
  if (/\/\.?yarn\/global\//.test(folder)) return `yarn global add ${name}`;
  const [, prefix] = /^(.*)\/lib\/node_modules\//.exec(folder) ?? [];
  return prefix === undefined ? undefined : `npm install -g --prefix ${quoteShell(prefix)} ${name}`;
}
