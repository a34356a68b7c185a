// One writer per journal. The lock is a file that names its owner; a dead owner loses it.

import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { parseJson } from "@lathe/llm";
import { readProcStat } from "../../world/process/proc-stat.ts";
import { JournalError } from "./errors.ts";
import { readStart } from "./regular-file.ts";

/** The process that writes to a journal. */
export interface LockOwner {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same pid; see `processStartTime`. */
  readonly startTime: string;
  readonly host: string;
  /** Unique per acquired lock. */
  readonly token: string;
}

/** A lock that this process holds until it releases it. */
export interface JournalLock {
  release(): void;
}

/** Longer than any owner record; a larger file is not read whole. */
const OWNER_BYTES = 4096;

/** `path` must be a real path, so that links to a journal share its lock. */
export const lockPath = (path: string, owner: LockOwner): JournalLock => acquireLock(`${path}.lock`, owner);

/**
 * Hard links share an inode but no path. The lock is in `shared`, which all writers know, or in the journal's own
 * folder if `shared` is missing or read-only, which is then so for all writers.
 */
export function lockInode(
  fd: number,
  folders: { readonly shared: string | undefined; readonly own: string },
  owner: LockOwner,
): JournalLock {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  const name = `.${dev}-${ino}.lock`;
  if (folders.shared !== undefined && isFolder(folders.shared)) {
    try {
      return acquireLock(join(folders.shared, name), owner);
    } catch (error) {
      if ((error as JournalError).code !== "io") throw error;
    }
  }
  return acquireLock(join(folders.own, name), owner);
}

/** Creates the folder if it does not exist; false if that fails. */
function isFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

/** Takes the lock at this path, or throws an error that names its holder. */
export function acquireLock(path: string, owner: LockOwner): JournalLock {
  const text = JSON.stringify(owner);
  // Each round takes the lock, throws, or removes a dead owner's file.
  for (let attempt = 0; attempt < 8; attempt++) {
    if (create(path, text, owner)) return { release: () => release(path, text) };
    const held = readIfThere(path);
    if (held === undefined) continue;
    const holder = parseOwner(held);
    if (holder && !isDead(holder, owner)) throw lockedError(path, holder, owner);
    removeStale(path, held, owner);
  }
  throw new JournalError("locked", `The lock ${path} keeps changing owners; try again.`);
}

/** The holder of a lock and whether that process is dead; undefined if no process holds it. Changes nothing. */
export function lockHolder(
  path: string,
  asking: Pick<LockOwner, "host">,
): { readonly pid?: number; readonly dead: boolean } | undefined {
  const held = readIfThere(path);
  if (held === undefined) return undefined;
  const holder = parseOwner(held);
  return holder ? { pid: holder.pid, dead: isDead(holder, asking) } : { dead: true };
}

/**
 * Removes locks of dead processes of this host in a folder, and the files they were writing when they ended. Otherwise
 * the locks of children that are never reopened would stay. With `start`, only names in the folder itself that begin
 * like this.
 */
export function removeDeadLocks(folder: string, asking: LockOwner, start?: string): void {
  const options = { withFileTypes: true, recursive: start === undefined } as const;
  for (const file of existsSync(folder) ? readdirSync(folder, options) : []) {
    if (start !== undefined && !file.name.startsWith(start)) continue;
    const match = /\.lock(?:\.(\d+)\..*)?$/.exec(file.name);
    if (!match || !file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const held = readIfThere(path) ?? "";
    // An incomplete file is being written by the process that its name contains.
    const holder = parseOwner(held) ?? (match[1] && writerWithPid(Number(match[1]), asking));
    if (holder && isDead(holder, asking)) removeStale(path, held, asking);
  }
}

function writerWithPid(pid: number, { host }: LockOwner): Omit<LockOwner, "token"> {
  return { pid, startTime: processStartTime(pid), host };
}

/** The file appears with its content: it is written under another name and linked into place. */
function create(path: string, text: string, owner: LockOwner): boolean {
  const aside = asideOf(path, owner);
  try {
    const file = openSync(aside, "wx", 0o600);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
    linkSync(aside, path);
    unlinkSync(aside);
    return true;
  } catch (error) {
    rmSync(aside, { force: true });
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    const message = `The session cannot be locked: ${(error as Error).message}. Free space or fix the folder, then try again.`;
    throw new JournalError("io", message, { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readStart(path, OWNER_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const message = `The session lock cannot be read: ${(error as Error).message}`;
    throw error instanceof JournalError ? error : new JournalError("io", message, { cause: error });
  }
}

/** Undefined if the file is not one of our locks (power loss can leave it empty). */
function parseOwner(text: string): LockOwner | undefined {
  const { pid, startTime, host, token } = (parseJson(text) ?? {}) as Record<string, unknown>;
  if (typeof startTime !== "string" || typeof host !== "string" || typeof token !== "string") return undefined;
  const isPid = typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid < 2 ** 31;
  return isPid ? { pid, startTime, host, token } : undefined;
}

/** Whether the process that wrote this is dead. False for another machine, because we cannot tell. */
export function isDead(holder: Omit<LockOwner, "token">, asking: Pick<LockOwner, "host">): boolean {
  if (holder.host !== asking.host) return false;
  const startTime = processStartTime(holder.pid);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
    // A process of another user: perhaps a later one with the same pid, but only if the system reports start times.
    if (startTime === "") return false;
  }
  return holder.startTime !== startTime;
}

function lockedError(path: string, holder: LockOwner, asking: LockOwner): JournalError {
  const where = holder.host === asking.host ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
  return new JournalError(
    "locked",
    `This session is open in ${where}; close it there or fork the session. If that process is gone, delete ${path}.`,
  );
}

/**
 * Removes the dead owner's file by renaming it, then checks what was renamed: if another process had put its own lock
 * there meanwhile, that lock is put back.
 */
function removeStale(path: string, stale: string, owner: LockOwner): void {
  const aside = asideOf(path, owner);
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readIfThere(aside) !== stale) linkSync(aside, path);
  unlinkSync(aside);
}

const asideOf = (path: string, { pid, token }: LockOwner): string => `${path}.${pid}.${token}`;

function release(path: string, text: string): void {
  if (readIfThere(path) === text) unlinkSync(path);
}

/** Start time of a process in kernel ticks; "" if the system does not report it, and for a zombie. */
export function processStartTime(pid: number): string {
  const stat = readProcStat(pid);
  return stat === undefined || stat.state === "Z" ? "" : String(stat.start);
}
