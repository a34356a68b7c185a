// Finds problems in session files: damaged lines, lost blobs, locks of processes that have ended.

import { join } from "node:path";
import { type BlobStore, type Journal, JournalError } from "@lathe/agent";
import { lockHolder, readLineHead, readLines } from "@lathe/agent/record";
import { namesIn } from "../platform/home/folder-names.ts";

export interface Problem {
  readonly path: string;
  readonly message: string;
}

export interface CheckDeps {
  readonly blobs: BlobStore;
  readonly host: string;
  readonly open: (path: string) => Journal;
}

export async function checkJournal(path: string, deps: CheckDeps): Promise<Problem[]> {
  const problem = (message: string): Problem => ({ path, message });
  const stale = lockProblems(path, deps.host).map(problem);
  let journal: Journal;
  try {
    journal = deps.open(path);
  } catch (error) {
    return [...stale, problem((error as Error).message)];
  }
  const losses = journal.losses.filter(({ kind }) => kind !== "missing_blob").map(({ message }) => problem(message));
  await journal.close();
  const missing = missingBlobs(path, deps.blobs).map((hash) =>
    problem(
      `Blob ${hash} is missing or damaged; its content is shown as lost. Restore it from a copy if you have one.`,
    ),
  );
  return [...stale, ...losses, ...missing];
}

const STALE_LOCK = "Locked by a process that has ended; the lock is removed when the session is next opened.";

function lockProblems(path: string, host: string): string[] {
  try {
    return lockHolder(`${path}.lock`, { host })?.dead ? [STALE_LOCK] : [];
  } catch (error) {
    // Something other than a session file has its name.
    if (error instanceof JournalError) return [error.message];
    throw error;
  }
}

export const staleLock = (path: string, host: string): boolean => lockProblems(path, host).includes(STALE_LOCK);

/** Locks by inode that killed processes left behind. The next process that opens the session would remove them. */
export function leftLocks(folder: string, host: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(".lock"))
    .map((name) => join(folder, name.slice(0, -".lock".length)))
    .filter((path) => staleLock(path, host))
    .map((path) => `${path}.lock`);
}

const NAMED_BLOB = /"blob:(?:text:)?sha256:([0-9a-f]{64})"/g;
const HASH = /"([0-9a-f]{64})"/g;

/** Checks all entries, including those that the model no longer sees. */
function missingBlobs(path: string, blobs: BlobStore): string[] {
  const named = new Set<string>();
  readLines(path, 0, (line) => {
    const isPrefix = readLineHead(line)?.type === "prefix";
    if (!isPrefix && !line.includes("sha256:")) return;
    for (const match of line.toString("latin1").matchAll(isPrefix ? HASH : NAMED_BLOB)) named.add(match[1] ?? "");
  });
  return [...named].filter((hash) => blobs.get(hash) === undefined);
}
