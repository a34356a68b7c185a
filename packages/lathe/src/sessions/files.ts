// Session files on disk, newest first. Nothing here opens a file.

import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sessionFolderName } from "@lathe/agent";

export interface SessionFile {
  readonly path: string;
  readonly mtimeMs: number;
  readonly bytes: number;
}

/** Files of one directory's sessions, or of all. */
export function sessionFiles(sessionsRoot: string, cwd?: string): SessionFile[] {
  return projectFolders(sessionsRoot, cwd)
    .flatMap((folder) => journalsIn(folder).flatMap(statFile))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
}

/** Journals of subagents of all sessions, by the session file they belong to. */
export function childFiles(sessionsRoot: string): { readonly file: SessionFile; readonly session: string }[] {
  return projectFolders(sessionsRoot).flatMap((project) =>
    entries(project)
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const session = join(project, `${name}.jsonl`);
        return childrenOf(session).map((file) => ({ file, session }));
      }),
  );
}

/** Journals of one session's subagents. */
export function childrenOf(session: string): SessionFile[] {
  return journalsIn(session.replace(/\.jsonl$/, "")).flatMap(statFile);
}

/** Every journal there is: sessions, then their subagents. */
export function allJournals(sessionsRoot: string): string[] {
  return [...sessionFiles(sessionsRoot), ...childFiles(sessionsRoot).map(({ file }) => file)].map(({ path }) => path);
}

function statFile(path: string): SessionFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? [{ path, mtimeMs: stat.mtimeMs, bytes: stat.size }] : [];
}

const journalsIn = (folder: string): string[] =>
  entries(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => join(folder, entry.name));

function projectFolders(root: string, cwd?: string): string[] {
  if (cwd !== undefined) return [join(root, sessionFolderName(cwd))];
  return entries(root)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name));
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
