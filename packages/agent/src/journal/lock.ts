// One writer per journal. The lock is a file that names its owner; an owner that is gone loses it.

import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { readProcStat } from "../process/proc-stat.ts";
import { JournalError } from "./errors.ts";

export interface LockOwner {
  readonly pid: number;
  /** Tells a process from a later one with the same pid; see `processStartTime`. */
  readonly startTime: string;
  readonly host: string;
  /** Unique per lock taken. */
  readonly token: string;
}

export interface JournalLock {
  release(): void;
}

export function acquireLock(path: string, owner: LockOwner): JournalLock {
  const text = JSON.stringify(owner);
  // Each round either takes the lock, throws, or removes one dead owner's file.
  for (let attempt = 0; attempt < 8; attempt++) {
    if (create(path, text, owner.token)) return { release: () => release(path, text) };
    const held = readIfThere(path);
    if (held === undefined) continue;
    const holder = parseOwner(held);
    if (holder && !isDead(holder, owner)) throw locked(path, holder, owner);
    removeStale(path, held, owner);
  }
  throw new JournalError("locked", `The lock ${path} keeps changing hands; try again.`);
}

/** Who holds a lock and whether that process is gone; undefined when nobody holds it. Changes nothing. */
export function lockHolder(
  path: string,
  asking: Pick<LockOwner, "host">,
): { readonly pid?: number; readonly dead: boolean } | undefined {
  const held = readIfThere(path);
  if (held === undefined) return undefined;
  const holder = parseOwner(held);
  return holder ? { pid: holder.pid, dead: isDead(holder, asking) } : { dead: true };
}

/** The file appears with its content: it is written aside and linked into place. */
function create(path: string, text: string, token: string): boolean {
  const aside = `${path}.${token}`;
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
    throw new JournalError("io", `The session cannot be locked: ${(error as Error).message}`, { cause: error });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new JournalError("io", `The session lock cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Undefined for a file that is not one of our locks (power loss can leave it empty). */
function parseOwner(text: string): LockOwner | undefined {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    return undefined;
  }
}

function isDead(holder: LockOwner, asking: Pick<LockOwner, "host">): boolean {
  if (holder.host !== asking.host) return false;
  const startTime = processStartTime(holder.pid);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
    // Somebody else's process: perhaps a later one with the same pid, but only where the system tells.
    if (startTime === "") return false;
  }
  return holder.startTime !== startTime;
}

function locked(path: string, holder: LockOwner, asking: LockOwner): JournalError {
  const where = holder.host === asking.host ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
  return new JournalError(
    "locked",
    `This session is open in ${where}; close it there or fork the session. If that process is gone, delete ${path}.`,
  );
}

/**
 * Takes the dead owner's file away by renaming it, then looks at what was caught: if another process had put its own
 * lock there in between, that lock is put back.
 */
function removeStale(path: string, stale: string, owner: LockOwner): void {
  const aside = `${path}.${owner.token}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (readFileSync(aside, "utf8") !== stale) linkSync(aside, path);
  unlinkSync(aside);
}

function release(path: string, text: string): void {
  if (readIfThere(path) === text) unlinkSync(path);
}

/** Start time of a process in kernel ticks; "" where the system does not tell, and for one that only waits to be reaped. */
export function processStartTime(pid: number): string {
  const stat = readProcStat(pid);
  return stat === undefined || stat.state === "Z" ? "" : String(stat.start);
}
