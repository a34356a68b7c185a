// A workspace that had to be opened before the command line was understood: the run goes on with it.

import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** By what every form of a machine shares. */
const prepared = new WeakMap<Machine["deps"], Workspace>();

export async function prepareWorkspace(
  machine: Machine,
  options: CliOptions,
  argv: readonly string[],
): Promise<Workspace> {
  const { extensions, ...workspace } = await openWorkspace(machine, options);
  const early = { ...workspace, extensions: { ...extensions, unread: argv } };
  prepared.set(machine.deps, early);
  return early;
}

/** The workspace of a run. */
export async function workspaceOfRun(machine: Machine, options: CliOptions): Promise<Workspace> {
  const early = prepared.get(machine.deps);
  if (!early) return openWorkspace(machine, options);
  prepared.delete(machine.deps);
  const { unread: _, ...extensions } = early.extensions;
  return { ...early, machine, extensions: { ...extensions, flags: options.extensionFlags ?? {} } };
}
