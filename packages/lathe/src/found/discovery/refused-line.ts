// One line about the files in a folder that are ignored because it is not trusted, with the command that changes that.

import { relative } from "node:path";
import type { Place } from "./place.ts";
import { CHANGED, UNTRUSTED } from "./trusted-items.ts";
import type { Found } from "./types.ts";

/** Undefined if nothing is ignored for that reason. */
export function refusedLine(items: readonly Found[], place: Place): string | undefined {
  const refused = items.filter(({ ignored }) => ignored === UNTRUSTED || ignored === CHANGED);
  if (refused.length === 0) return undefined;
  const files = new Map<string, string[]>();
  for (const { kind, name, source } of refused) {
    const path = relative(place.cwd, source.path);
    // The name of a hook is its whole command.
    files.set(path, [...(files.get(path) ?? []), kind === "hook" ? kind : `${kind} ${name}`]);
  }
  const listed = [...files].map(([path, what]) => `${path} (${[...new Set(what)].join(", ")})`).join("; ");
  const isChanged = refused.every(({ ignored }) => ignored === CHANGED);
  const why = isChanged ? "New or changed since this folder was trusted" : "This folder is not trusted";
  return `${why}; ignored: ${listed}. To let ${refused.length === 1 ? "it" : "them"} take effect: ${trustCommands(refused, place)}`;
}

/** Each folder that holds some needs its own command. */
function trustCommands(refused: readonly Found[], { cwd, folders }: Place): string {
  const holders = refused.map(({ source }) => folders.find((folder) => source.path.startsWith(`${folder}/`)) ?? cwd);
  return [...new Set(holders.map((holder) => `lathe trust ${relative(cwd, holder)}`.trim()))].join(" && ");
}
