// Options of the command line that extensions bring. They are loaded once to be asked, without being heard; the run loads them again
// with the values. What a folder brings that is not trusted is not loaded, here as elsewhere.

import type { ExtensionFlag } from "../extension-api/api.ts";
import { type Machine, textOnly } from "../machine/machine.ts";
import type { CliOptions } from "../options/option-table.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { ExtensionHost } from "./host.ts";

export async function flagsOfExtensions(
  machine: Machine,
  options: CliOptions,
): Promise<Readonly<Record<string, ExtensionFlag>>> {
  const silent = Object.create(textOnly(machine.stderr), { write: { value: () => true } }) as NodeJS.WriteStream;
  const workspace = await openWorkspace({ ...machine, stderr: silent }, options);
  const host = await ExtensionHost.load(workspace);
  const flags = host.extensions.flatMap(({ added }) => [...added.flags]);
  await host.close();
  return Object.fromEntries(flags);
}
