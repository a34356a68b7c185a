// Session files on disk, newest first, told by their ends alone: listing ten thousand parses none of them whole.

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readHead, type SessionSummary, sessionFolderName } from "@lathe/agent";

export interface SessionFile {
  readonly path: string;
  readonly mtimeMs: number;
}

/** Files of one directory's sessions, or of all. */
export function sessionFiles(sessionsRoot: string, cwd?: string): SessionFile[] {
  const folders = cwd === undefined ? subfolders(sessionsRoot) : [join(sessionsRoot, sessionFolderName(cwd))];
  return folders
    .flatMap((folder) =>
      entries(folder)
        .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
        .map((entry) => join(folder, entry.name)),
    )
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat ? [{ path, mtimeMs: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
}

export interface ListedSession extends SessionSummary {
  readonly path: string;
}

export function describeSession(path: string): ListedSession | undefined {
  const summary = readHead(path);
  return summary && { ...summary, path };
}

const subfolders = (root: string): string[] =>
  entries(root)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name));

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
