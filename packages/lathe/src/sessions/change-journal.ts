// Changes a session that is not open. Naming it, or labelling an entry in it, is not work: the session keeps its
// position in lists, and --continue still takes the one used last.

import { statSync, utimesSync } from "node:fs";
import type { Workspace } from "../config/workspace/workspace.ts";
import { existingJournal, type OpenedJournal } from "./journals/journal-files.ts";

export async function changeJournal<T>(
  workspace: Workspace,
  path: string,
  change: (opened: OpenedJournal) => T | Promise<T>,
): Promise<T> {
  const { atime, mtime } = statSync(path);
  const opened = existingJournal(workspace, path);
  try {
    return await change(opened);
  } finally {
    await opened.journal.close();
    // A session in an older format now continues in a new file.
    if (opened.path === path) utimesSync(path, atime, mtime);
  }
}
