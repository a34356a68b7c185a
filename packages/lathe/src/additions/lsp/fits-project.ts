// Whether a folder may have a language server, told from the names in it alone: a session that has none must not pay for them.

import { readdirSync } from "node:fs";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { EVERYWHERE, SERVER_TABLE } from "./server-table.ts";

export function fitsProject({ cwd, settings }: Workspace): boolean {
  if (!settings["lsp.enabled"]) return false;
  const names = readdirSync(cwd);
  const known = new Set(names);
  return SERVER_TABLE.some(([, , , markers]) =>
    markers.split(" ").some((marker) => {
      if (EVERYWHERE.includes(marker)) return false;
      const star = marker.indexOf("*");
      if (star < 0) return known.has(marker);
      const [before, after] = [marker.slice(0, star), marker.slice(star + 1)];
      return names.some((name) => name.startsWith(before) && name.endsWith(after));
    }),
  );
}
