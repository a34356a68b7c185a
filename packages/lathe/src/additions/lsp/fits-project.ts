// Guesses from the names in a folder whether it may have a language server, so that sessions without one do not pay for
// the search.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { EVERYWHERE, SERVER_TABLE } from "./server-table.ts";

/** A package without a TypeScript configuration has its scripts next to `package.json`, or in one of these folders. */
const SCRIPT_FOLDERS = ["src", "lib"];
const SCRIPT = /\.[cm]?[jt]sx?$/;

export function fitsProject({ cwd, settings }: Workspace): boolean {
  if (!settings["lsp.enabled"]) return false;
  const names = readdirSync(cwd);
  const known = new Set(names);
  const isMarked = SERVER_TABLE.some(([, , , markers]) =>
    markers.split(" ").some((marker) => {
      if (EVERYWHERE.includes(marker)) return false;
      const star = marker.indexOf("*");
      if (star < 0) return known.has(marker);
      const [before, after] = [marker.slice(0, star), marker.slice(star + 1)];
      return names.some((name) => name.startsWith(before) && name.endsWith(after));
    }),
  );
  return isMarked || (known.has("package.json") && hasScripts(cwd, names));
}

/** `package.json` alone does not imply a language: many folders have one only for their tools. */
const hasScripts = (cwd: string, names: readonly string[]): boolean =>
  names.some(isScript) ||
  SCRIPT_FOLDERS.some((name) => names.includes(name) && namesIn(join(cwd, name)).some(isScript));

const isScript = (name: string): boolean => SCRIPT.test(name);

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // a file, or a folder that no server could read either
  }
}
