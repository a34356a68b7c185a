// Files of other agents that Lathe recognizes but does not use: they are listed with the reason, so that no user waits
// for their effect.

import { basename } from "node:path";
import { type AgentFolders, homesOf } from "./homes.ts";
import type { Search } from "./search.ts";

/** `names` maps files and folders below an agent's folder to the reason. Every entry of such a folder is listed. */
export function unsupportedFiles(
  search: Search<"unsupported">,
  folders: AgentFolders,
  names: Readonly<Record<string, string>>,
): void {
  for (const { path: home, level } of homesOf(search, folders, "project"))
    for (const [name, reason] of Object.entries(names)) {
      const path = `${home}/${name}`;
      const entries = search.files.isFolder(path)
        ? search.files.entries(path)
        : search.files.isFile(path)
          ? [{ path }]
          : [];
      for (const { path: entry } of entries)
        search.add(entry === path ? name : `${name}/${basename(entry)}`, { level, path: entry }, { reason });
    }
}
