// Command line options that extensions add. The extensions are loaded before the command line is parsed, and the run
// keeps them. Extensions of a folder that is not trusted are not loaded, here as elsewhere.

import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { ExtensionFlag } from "../../platform/extension-api/api.ts";
import { type Machine, textOnly } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import type { ExtensionHosts } from "./extension-hosts.ts";
import { ExtensionHost } from "./host.ts";

type Flags = Readonly<Record<string, ExtensionFlag>>;

/** What loading these options needs from a run. */
interface FlagsRun {
  readonly machine: Machine;
  readonly extensions: ExtensionHosts;
  open(options: CliOptions, machine: Machine): Promise<SessionWorkspace>;
  prepare(options: CliOptions, argv: readonly string[]): Promise<SessionWorkspace>;
}

/** The options for the help text. What the extensions print is not shown. */
export async function flagsForHelp(run: FlagsRun, options: CliOptions): Promise<Flags> {
  const { machine } = run;
  const silent = Object.create(textOnly(machine.stderr), { write: { value: () => true } }) as NodeJS.WriteStream;
  const host = await ExtensionHost.load(await run.open(options, { ...machine, stderr: silent }));
  const flags = flagsOf(host);
  await host.close();
  return flags;
}

export interface LoadedFlags {
  readonly flags: Flags;
  /** Ends the extensions if no session has used them. */
  end(): Promise<void>;
}

/**
 * The options for the run that follows. `argv` is what the extension factories get until the command line is parsed.
 */
export async function flagsForRun(run: FlagsRun, options: CliOptions, argv: readonly string[]): Promise<LoadedFlags> {
  const workspace = await run.prepare(options, argv);
  const host = await run.extensions.load(workspace);
  return { flags: flagsOf(host), end: () => run.extensions.endUnused(workspace) };
}

const flagsOf = ({ extensions }: ExtensionHost): Flags =>
  Object.fromEntries(extensions.flatMap(({ added }) => [...added.flags]));
