// Replaces a file that other programs may write at the same time. No system call compares and renames, so a write
// between our last check and the rename cannot be excluded. We therefore keep the old file under a second name until it
// is certain that no other process wrote to it, and count what others rename to the same path.

import {
  type BigIntStats,
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import type { RenameWatches } from "./rename-watch.ts";

export interface FileReplacement {
  /** The complete new file, in the folder of `target`. */
  readonly temp: string;
  readonly target: string;
  /** What the old file must contain; absent if it must not exist. */
  readonly content: Uint8Array | undefined;
  /** Throws if the file is not the one that was read, or has moved. Called immediately before it is replaced. */
  readonly lastCheck: () => void;
}

export interface Replaced {
  /** False: another process wrote the file, and its content is in place. */
  readonly isDone: boolean;
  /** The content that another process wrote at the same moment is lost. */
  readonly overwrote: boolean;
}

const DONE: Replaced = { isDone: true, overwrote: false };
const CHANGED: Replaced = { isDone: false, overwrote: false };

export async function replaceFile(replacement: FileReplacement, watches: RenameWatches): Promise<Replaced> {
  const { temp, target, content } = replacement;
  if (!content) return createFile(replacement);
  const aside = `${temp}.old`;
  // Kept open until the end, because the inode number of a deleted file is reused.
  const ours = openSync(temp, "r");
  const renames = watches.start({ temp, target, aside });
  try {
    const made = fstatSync(ours, { bigint: true });
    // There is no await from here to the rename, so only a few system calls lie in between.
    const old = statOf(target);
    replacement.lastCheck();
    const isKept = keepAside(target, aside);
    if (isKept === undefined || !old) return CHANGED;
    renameSync(temp, target);
    const isUntouched = (): boolean => !isKept || isSame(aside, content, old, made);
    // We check again a little later: another process may have the file open and still write to it.
    if (isUntouched()) {
      await renames?.whenSettled();
      if (isUntouched()) return { isDone: true, overwrote: (renames?.beforeOurs ?? 0) > 0 };
    }
    const keptOne = statOf(aside)?.ino === old.ino ? 0 : 1;
    // Restores the same inode, so that the writes of a process that has it open stay visible.
    if (statOf(target)?.ino === made.ino) renameSync(aside, target);
    await renames?.whenSettled();
    const lost = renames ? renames.beforeOurs - keptOne + renames.beforeReturn : 0;
    return { isDone: false, overwrote: lost > 0 };
  } finally {
    closeSync(ours);
    renames?.stop();
    // Off this thread: removing the last name of a file frees its content, the slowest step of all.
    await rm(aside, { force: true });
  }
}

const statOf = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

/** Longer than the clock tick of any file system except those with a resolution of a second or more. */
const TICK_NS = 20_000_000n;

/**
 * Whether the file was not written to. Its bytes are compared only if a write could have left no trace in its times.
 */
function isSame(path: string, content: Uint8Array, old: BigIntStats, made: BigIntStats): boolean {
  const now = statOf(path);
  if (now?.ino !== old.ino || now.size !== old.size || now.mtimeNs !== old.mtimeNs) return false;
  const isLongAgo = made.ctimeNs - old.mtimeNs > TICK_NS && old.mtimeNs % 1_000_000_000n !== 0n;
  return isLongAgo || Buffer.compare(content, readFileSync(path)) === 0;
}

/** Creating a link fails if the name exists; a rename would overwrite it. */
function createFile({ temp, target, lastCheck }: FileReplacement): Replaced {
  try {
    lastCheck();
    linkSync(temp, target);
    rmSync(temp);
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      rmSync(temp);
      return CHANGED;
    }
    if (!NO_LINKS.has(codeOf(error))) throw error;
    renameSync(temp, target);
  }
  return DONE;
}

/**
 * Moves the file aside, whatever it is at that moment, and deletes it if it contains `content`. Otherwise moves it
 * back, unless another file is there by now; then it keeps the other name. Returns false if it was not deleted.
 */
export function removeFile(path: string, aside: string, content: Uint8Array): boolean {
  renameSync(path, aside);
  let isSameContent = false;
  try {
    isSameContent = Buffer.compare(content, readFileSync(aside)) === 0;
    if (isSameContent) rmSync(aside);
  } finally {
    if (!isSameContent && !statOf(path)) renameSync(aside, path);
  }
  return isSameContent;
}

/** Errors of file systems without hard links, and of files that have too many. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/**
 * False if the file system has no hard links: then a write in the last microseconds goes unnoticed. Undefined if the
 * file was replaced or removed at this very moment.
 */
function keepAside(target: string, aside: string): boolean | undefined {
  try {
    linkSync(target, aside);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (NO_LINKS.has(codeOf(error))) return false;
    throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";
