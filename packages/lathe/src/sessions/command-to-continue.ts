// The command that continues a session: the short one where it means this session, else one that names it.

import { relative } from "node:path";
import { quoteShell } from "@lathe/agent/world";
import type { Workspace } from "../config/workspace/workspace.ts";
import { sessionFiles } from "./files.ts";

/** Of a session that is on disk. `lathe -c` takes the newest of the folder, which may be another one by the time it is typed. */
export function commandToContinue(
  { paths, cwd }: Pick<Workspace, "paths" | "cwd">,
  { path, id }: { readonly path: string; readonly id: string },
): string {
  // The list of sessions does not have one of another folder.
  if (relative(paths.sessions, path).startsWith("..")) return `lathe --session ${quoteShell(path)}`;
  const isOnly = sessionFiles(paths.sessions, cwd).every((file) => file.path === path);
  return isOnly ? SHORT : `lathe --resume ${id.slice(0, 8)}`;
}

const SHORT = "lathe -c";
