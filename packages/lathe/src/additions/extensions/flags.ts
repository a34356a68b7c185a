// Options of the command line that extensions bring. They are loaded before the command line is understood, and the run goes on with
// them as they are. What a folder brings that is not trusted is not loaded, here as elsewhere.

import { prepareWorkspace } from "../../config/workspace/prepared.ts";
import { openWorkspace } from "../../config/workspace/workspace.ts";
import type { ExtensionFlag } from "../../platform/extension-api/api.ts";
import { type Machine, textOnly } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { endUnused, loadExtensions } from "./addition.ts";
import { ExtensionHost } from "./host.ts";

type Flags = Readonly<Record<string, ExtensionFlag>>;

/** For people who want to know; nobody hears the extensions. */
export async function flagsForHelp(machine: Machine, options: CliOptions): Promise<Flags> {
  const silent = Object.create(textOnly(machine.stderr), { write: { value: () => true } }) as NodeJS.WriteStream;
  const host = await ExtensionHost.load(await openWorkspace({ ...machine, stderr: silent }, options));
  const flags = flagsOf(host);
  await host.close();
  return flags;
}

export interface LoadedFlags {
  readonly flags: Flags;
  /** Ends the extensions where no session has used them. */
  end(): Promise<void>;
}

/** For the run that follows. `argv` is what their factories are told until it is understood. */
export async function flagsForRun(
  machine: Machine,
  options: CliOptions,
  argv: readonly string[],
): Promise<LoadedFlags> {
  const workspace = await prepareWorkspace(machine, options, argv);
  const host = await loadExtensions(workspace).host;
  return { flags: flagsOf(host), end: () => endUnused(workspace) };
}

const flagsOf = ({ extensions }: ExtensionHost): Flags =>
  Object.fromEntries(extensions.flatMap(({ added }) => [...added.flags]));
