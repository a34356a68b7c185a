// Files that hold keys, in a change that a model reads: the model gets their names, not their content. Git lists new
// files like any others, and no user is asked about each of them.

import { visibleLine } from "@lathe/agent/base";
import { isCredentialFile } from "@lathe/agent/policy";
import type { Workspace } from "../config/workspace/workspace.ts";
import { onDisk } from "../found/permissions/on-disk.ts";

/** Takes absolute paths. */
export type HoldsKeys = (path: string) => boolean;

/** Without `paths` and `machine`, only names are compared. */
export function keyFiles({ paths, machine }: Partial<Pick<Workspace, "paths" | "machine">>): HoldsKeys {
  if (!paths || !machine) return (path) => isCredentialFile(path, { userHome: "", latheHome: "" });
  const homes = { userHome: machine.userHome, latheHome: paths.home };
  const places = { ...homes, onDisk: onDisk(homes) };
  return (path) => isCredentialFile(path, places);
}

/** Replaces the content of such a file. */
export const NOT_SHOWN = "not shown: it may hold keys or passwords";

const MOST_NAMED = 10;

/** What the user is told; undefined if there is no such file. */
export function notShownLine(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  const list = names.slice(0, MOST_NAMED).map(visibleLine).join(", ");
  return `The model gets only the names of these files, because they may hold keys or passwords: ${list}${more}.`;
}
