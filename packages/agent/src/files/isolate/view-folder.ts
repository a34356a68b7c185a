// The folders of views in a store. Each names the process it belongs to, so that the next process finds and removes
// what a killed one left behind.

import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { chmod, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { JournalError } from "../../record/journal/errors.ts";
import { acquireLock, type JournalLock, processStartTime } from "../../record/journal/lock.ts";
import { procStatBuffer, readProcStat } from "../../world/process/proc-stat.ts";
import { EnvError } from "../../world/process/types.ts";

/** The owner of a folder, and what else must be removed with it. */
export interface FolderOwner {
  readonly pid: number;
  /** Start time of that process, because its id may be reused. */
  readonly start: number;
  /** A container, and the command line prefix that controls it. */
  readonly container?: { readonly name: string; readonly cli: readonly string[] } | undefined;
  /** Left on purpose, by a process that did not die with it. */
  readonly isReleased?: boolean | undefined;
}

const OWNER_FILE = "owner.json";
/** The record of a view that is kept. */
export const RECORD = "view.json";
/** Marks a view whose work has landed, so that it is no longer kept. */
export const LANDED = "landed.json";

/** Paths of a commit to files that are not on this machine's disk, and those already written. */
export const FAR_COMMIT = "far-commit.json";
export const FAR_WRITTEN = "far-written";

/** Letters, digits, `-`, `_` and single dots: never a way out of the store. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(id) && !/\.lock$/i.test(id) && id.length <= 100;
}

export function claimFolder(store: string, id: string): string {
  if (!isSafeId(id)) {
    throw new EnvError("io", `"${id}" cannot name an isolated copy: use letters, digits, "-" and "_".`);
  }
  const folder = join(store, id);
  mkdirSync(store, { recursive: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new EnvError(
      "exists",
      `There is an isolated copy named ${id} already. Choose another name, or close that copy.`,
      {
        path: folder,
      },
    );
  }
  writeOwner(folder, {});
  return folder;
}

/** Written under another name first, because an incomplete file would look as if the folder had no owner. */
export function writeOwner(folder: string, more: Pick<FolderOwner, "container">): void {
  const owner: FolderOwner = { pid: process.pid, start: startOf(process.pid) ?? 0, ...more };
  const file = join(folder, OWNER_FILE);
  writeFileSync(`${file}.new`, JSON.stringify(owner));
  renameSync(`${file}.new`, file);
}

/** The folder has no owner from now on: any process may take it over. */
export function releaseFolder(folder: string): void {
  const file = join(folder, OWNER_FILE);
  writeFileSync(`${file}.new`, JSON.stringify({ pid: 0, start: 0, isReleased: true } satisfies FolderOwner));
  renameSync(`${file}.new`, file);
}

/** Takes over a folder whose process has ended; false if another process owns it, or was faster. */
export function takeOver(store: string, id: string): boolean {
  const folder = join(store, id);
  // Only one of two competing processes gets the lock. If we end in between, it is the lock of a dead process.
  const lock = lockFolder(folder);
  if (!lock) return false;
  try {
    const isFree = isGone(ownerOf(folder));
    if (isFree) writeOwner(folder, {});
    return isFree;
  } finally {
    lock.release();
  }
}

/** Undefined if another process has the lock, or the folder is gone. */
function lockFolder(folder: string): JournalLock | undefined {
  const { pid } = process;
  try {
    const owner = { pid, startTime: processStartTime(pid), host: hostname(), token: String(pid) };
    return acquireLock(join(folder, "owner.lock"), owner);
  } catch (error) {
    const { code, cause } = error as JournalError;
    if (code === "locked" || (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
    throw cause ?? error;
  }
}

/** Whether something could not be written for lack of space. */
export const isFullDisk = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Folders in a store whose process has ended. */
export function abandonedFolders(
  store: string,
): { readonly folder: string; readonly owner: FolderOwner | undefined }[] {
  const names = lstatSync(store, { throwIfNoEntry: false }) ? readdirSync(store, { withFileTypes: true }) : [];
  return names.flatMap((entry) => {
    if (!entry.isDirectory() || !isSafeId(entry.name)) return [];
    const folder = join(store, entry.name);
    const owner = ownerOf(folder);
    return isGone(owner) ? [{ folder, owner }] : [];
  });
}

const isGone = (owner: FolderOwner | undefined): boolean =>
  owner === undefined || owner.isReleased === true || startOf(owner.pid) !== owner.start;

function ownerOf(folder: string): FolderOwner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, OWNER_FILE), "utf8")) as FolderOwner;
  } catch {
    // It was being created or removed when its process ended.
    return undefined;
  }
}

/**
 * Undefined if there is no such process. Without /proc, we assume that every living process with this id is the right
 * one.
 */
function startOf(pid: number): number | undefined {
  if (process.platform === "linux") return readProcStat(pid, procStatBuffer())?.start;
  try {
    process.kill(pid, 0);
    return 0;
  } catch {
    return undefined;
  }
}

/**
 * Also removes write-protected content. The record goes first, because half a view must not be mistaken for work. Links
 * are removed, never followed. A view may contain a hundred thousand files, so we yield to the host in between.
 */
export async function removeFolder(folder: string): Promise<void> {
  rmSync(join(folder, RECORD), { force: true });
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await makeRemovable(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeRemovable(folder: string): Promise<void> {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeRemovable(join(folder, entry.name));
  }
}
