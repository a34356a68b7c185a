// Session files on disk, newest first. Nothing here opens a file.

import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { sessionFolderName } from "@lathe/agent/record";

export interface SessionFile {
  readonly path: string;
  readonly mtimeMs: number;
  readonly bytes: number;
}

/** Session files of one directory, or by default of all readable ones. */
export function sessionFiles(sessionsRoot: string, cwd?: string): SessionFile[] {
  const read = (folder: string): readonly SessionFile[] =>
    cwd === undefined ? readFolder(folder).sessions : journalFiles(folder);
  return projectFolders(sessionsRoot, cwd).flatMap(read).sort(newestFirst);
}

export const newestFirst = (a: SessionFile, b: SessionFile): number => b.mtimeMs - a.mtimeMs;

/** Journals of one session's subagents. */
export function childrenOf(session: string): SessionFile[] {
  return journalFiles(withoutEnding(session));
}

/** Journals of all subagents, including those of deleted sessions. */
export function childFiles(sessionsRoot: string): SessionFile[] {
  return projectFolders(sessionsRoot).flatMap((project) =>
    namesIn(project)
      .filter((name) => !name.includes(".jsonl"))
      .flatMap((name) => childrenOf(`${project}/${name}`)),
  );
}

/**
 * Every journal: sessions, then their subagents. Throws if one may be missing, because its blobs would then be deleted.
 */
export function allJournals(sessionsRoot: string): string[] {
  const sessions = projectFolders(sessionsRoot).flatMap((folder) => journalFiles(folder));
  return [...sessions, ...childFiles(sessionsRoot)].map(({ path }) => path);
}

/** A project's session folder at one moment. */
export interface ProjectFolder {
  readonly names: readonly string[];
  readonly sessions: readonly SessionFile[];
  /** False for another user's folder, which must not hide the user's own. */
  readonly isReadable: boolean;
}

export function readFolder(path: string): ProjectFolder {
  try {
    const names = namesIn(path);
    return { names, sessions: journalFiles(path, names), isReadable: true };
  } catch (error) {
    if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return { names: [], sessions: [], isReadable: false };
  }
}

const journalFiles = (folder: string, names = namesIn(folder)): SessionFile[] =>
  names.filter((name) => name.endsWith(".jsonl")).flatMap(statIn(folder));

/** A journal and the session it belongs to: itself, or the session whose subagent wrote it. */
export interface OwnedJournal {
  readonly file: SessionFile;
  readonly session: SessionFile;
}

export function journalsIn({ names, sessions }: ProjectFolder): OwnedJournal[] {
  const present = new Set(names);
  return sessions.flatMap((session) => {
    const folder = withoutEnding(session.path);
    const children = present.has(folder.slice(folder.lastIndexOf("/") + 1)) ? readFolder(folder).sessions : [];
    return [session, ...children].map((file) => ({ file, session }));
  });
}

/** Two changes this close together may leave the same modification time on a folder. */
const TICK_MS = 3000;

/**
 * The folder's modification time if it proves that no file below has changed: files are written under a lock in the
 * folder, and creating and removing the lock changes that time. Undefined while a lock exists, and if the next change
 * might not show.
 */
export function stampOf(folder: ProjectFolder, timeBefore: number | undefined, now: number): number | undefined {
  if (timeBefore === undefined || timeBefore >= now - TICK_MS || !folder.isReadable) return undefined;
  return folder.names.some((name) => name.includes(".lock")) ? undefined : timeBefore;
}

export const folderTime = (path: string): number | undefined => statOf(path)?.mtimeMs;

export const projectFolders = (root: string, cwd?: string): string[] =>
  cwd === undefined ? namesIn(root).map((name) => join(root, name)) : [join(root, sessionFolderName(cwd))];

const withoutEnding = (path: string): string => path.replace(/\.jsonl$/, "");

const statIn =
  (folder: string) =>
  (name: string): SessionFile[] => {
    const path = `${folder}/${name}`;
    const stat = statOf(path);
    return stat?.isFile() ? [{ path, mtimeMs: stat.mtimeMs, bytes: stat.size }] : [];
  };

/** A link that refers to itself leads nowhere. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return undefined;
    throw error;
  }
}

/**
 * Reads only names: asking for the type of ten thousand entries costs more than an error for the one that is not a
 * folder.
 */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return [];
    throw error;
  }
}
