// The command that continues a session: the short one if it means this session, otherwise one that names the session.

import { relative } from "node:path";
import { quoteShell } from "@lathe/agent/world";
import type { Workspace } from "../config/workspace/workspace.ts";
import { sessionFiles } from "./files.ts";

/**
 * For a session on disk. `lathe -c` takes the newest session of the folder, which may be another one by the time the
 * user types it.
 */
export function commandToContinue(
  { paths, cwd }: Pick<Workspace, "paths" | "cwd">,
  { path, id }: { readonly path: string; readonly id: string },
): string {
  // A session in another folder is not in the list of sessions.
  if (relative(paths.sessions, path).startsWith("..")) return `lathe --session ${quoteShell(path)}`;
  const isOnly = sessionFiles(paths.sessions, cwd).every((file) => file.path === path);
  return isOnly ? SHORT : `lathe --resume ${id.slice(0, 8)}`;
}

const SHORT = "lathe -c";
