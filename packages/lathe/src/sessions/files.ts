// Session files on disk, newest first. Nothing here opens a file.

import { readdirSync, statSync } from "node:fs";
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
    names(project)
      .filter((name) => !name.includes("."))
      .flatMap((name) => {
        const session = `${project}/${name}.jsonl`;
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
  return stat?.isFile() ? [{ path, mtimeMs: stat.mtimeMs, bytes: stat.size }] : [];
}

const journalsIn = (folder: string): string[] =>
  names(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => `${folder}/${name}`);

const projectFolders = (root: string, cwd?: string): string[] =>
  cwd === undefined ? names(root).map((name) => join(root, name)) : [join(root, sessionFolderName(cwd))];

/** Names only: asking the kind of each of ten thousand entries costs more than being told that one is no folder. */
function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
