// `lathe worktree`: the isolated copies that runs left behind, and what to do with their changes.

import { leftViews } from "@lathe/agent/files";
import { protectionOf } from "@lathe/agent/policy";
import { recoverViews } from "../../changes/isolation/recover-views.ts";
import { storeOf } from "../../changes/isolation/view-store.ts";
import {
  conflictLines,
  isRefused,
  type LandingPermit,
  SETTLE_WAYS,
  type SettleWay,
} from "../../config/workspace/run-view.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { onDisk } from "../../found/permissions/on-disk.ts";
import { Run } from "../../hosts/run.ts";
import { OpenRunView } from "../../hosts/worktree/run-view.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const worktreeCommand: Command = async (argv, machine) => {
  const { positionals } = verbArgs(argv, {}, "worktree");
  const [verb = "list", id, extra] = positionals;
  const how = SETTLE_WAYS.find((way) => way === verb);
  if (extra !== undefined || (verb === "list" && id !== undefined))
    throw usageError(`Leave out: ${extra ?? id}. See: lathe worktree --help`);
  if (verb !== "list" && how === undefined)
    throw usageError(`Unknown command "lathe worktree ${verb}". See: lathe worktree --help`);
  const workspace = await new Run(machine).open({});
  // Leftover copies are checked first: those without changes are removed.
  for (const line of await recoverViews(workspace, () => false)) machine.stderr.write(`lathe: ${line}\n`);
  const left = leftViews(storeOf(workspace));
  if (how === undefined) {
    for (const { id: name, kind, isCutOff } of left)
      machine.stdout.write(`${name}  ${kind}  ${isCutOff ? "interrupted" : "left"}\n`);
    if (left.length === 0) machine.stdout.write("No isolated copy has changes that were not applied.\n");
    return EXIT.done;
  }
  const names = left.map((one) => one.id);
  if (id === undefined) throw usageError(`Name the isolated copy: lathe worktree ${how} <id>. See: lathe worktree`);
  if (!names.includes(id)) {
    const known = names.length === 0 ? "No run has left one in this project." : `Available: ${names.join(", ")}.`;
    throw usageError(`There is no isolated copy ${id} to ${how}. ${known}`);
  }
  return settle(workspace, id, how);
};

async function settle(workspace: Workspace, id: string, how: SettleWay): Promise<ExitCode> {
  const { stdout, stderr } = workspace.machine;
  const view = await OpenRunView.open(workspace, id, () => {});
  if (how === "discard") {
    await view.close();
    stdout.write(`Removed the isolated copy ${id}.\n`);
    return EXIT.done;
  }
  const { userHome } = workspace.machine;
  const homes = { userHome, latheHome: workspace.paths.home };
  const places = { ...homes, onDisk: onDisk(homes) };
  // No user is asked here: changes that need approval must be applied from a session.
  const permit: LandingPermit = async (files) => {
    const [why] = files.flatMap((path) => protectionOf(path, places) ?? []);
    return why && `${why} To be asked about it: ${view.toContinue}, then /worktree land`;
  };
  const settled = await view.settle(how, permit);
  for (const line of conflictLines(settled)) stderr.write(`lathe: ${line}\n`);
  (isRefused(settled) ? stderr : stdout).write(`${isRefused(settled) ? "lathe: " : ""}${settled.message}\n`);
  const kept = await view.leave();
  if (kept !== undefined) stderr.write(`lathe: ${kept}\n`);
  return isRefused(settled) ? EXIT.failed : EXIT.done;
}
