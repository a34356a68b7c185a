// Whether a folder may have a language server, told from the names in it alone: a session that has none must not pay for them.

import { readdirSync } from "node:fs";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { EVERYWHERE, SERVER_ROWS } from "./server-rows.ts";

export function fitsProject({ cwd, settings }: Workspace): boolean {
  if (!settings["lsp.enabled"]) return false;
  const names = new Set(readdirSync(cwd));
  return SERVER_ROWS.some(({ rootMarkers }) =>
    rootMarkers.some((marker) => {
      if (EVERYWHERE.has(marker)) return false;
      const [before = "", after = ""] = marker.split("*");
      if (!marker.includes("*")) return names.has(marker);
      return [...names].some((name) => name.startsWith(before) && name.endsWith(after));
    }),
  );
}
