// Puts a new file in the place of an old one beside other programs that write it, too. Nothing between the last look at a file
// and its replacement can be excluded, since no system call compares and renames; so the old file is kept under a second name
// until it is certain that no other process has written to it, and what others rename to the same place is counted.

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
  /** The new file, whole, in the folder of `target`. */
  readonly temp: string;
  readonly target: string;
  /** What the file must hold; absent: there must be none. */
  readonly content: Uint8Array | undefined;
  /** Throws when the file is not the one that was read, or not where it was. Called right before it is replaced. */
  readonly lastCheck: () => void;
}

export interface Replaced {
  /** False: something else wrote the file, and what it wrote is there. */
  readonly isDone: boolean;
  /** What something else put there in the same moment is gone. */
  readonly overwrote: boolean;
}

const DONE: Replaced = { isDone: true, overwrote: false };
const CHANGED: Replaced = { isDone: false, overwrote: false };

export async function replaceFile(replacement: FileReplacement, watches: RenameWatches): Promise<Replaced> {
  const { temp, target, content } = replacement;
  if (!content) return createFile(replacement);
  const aside = `${temp}.old`;
  // Open until the end: the number of a file that is gone is given to the next one.
  const ours = openSync(temp, "r");
  const renames = watches.start({ temp, target, aside });
  try {
    const made = fstatSync(ours, { bigint: true });
    // Nothing is awaited from here to the rename, so that the time in between is that of a few system calls.
    const old = statOf(target);
    replacement.lastCheck();
    const isKept = keepAside(target, aside);
    if (isKept === undefined || !old) return CHANGED;
    renameSync(temp, target);
    const isUntouched = (): boolean => !isKept || isSame(aside, content, old, made);
    // We look once more a little later: another process may have the file open, and its write may still come.
    if (isUntouched()) {
      await renames?.whenSettled();
      if (isUntouched()) return { isDone: true, overwrote: (renames?.beforeOurs ?? 0) > 0 };
    }
    const keptOne = statOf(aside)?.ino === old.ino ? 0 : 1;
    // The very file goes back, so that a process that has it open still writes where it can be seen.
    if (statOf(target)?.ino === made.ino) renameSync(aside, target);
    await renames?.whenSettled();
    const lost = renames ? renames.beforeOurs - keptOne + renames.beforeReturn : 0;
    return { isDone: false, overwrote: lost > 0 };
  } finally {
    closeSync(ours);
    renames?.stop();
    // Aside from this thread: the last name of a file takes its content along, which is the slowest step of all.
    await rm(aside, { force: true });
  }
}

const statOf = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

/** Longer than the ticks of any file system's clock but those that count in whole seconds. */
const TICK_NS = 20_000_000n;

/** Whether the file was not written to. Its bytes are compared only when a write could have left no trace in its times. */
function isSame(path: string, content: Uint8Array, old: BigIntStats, made: BigIntStats): boolean {
  const now = statOf(path);
  if (now?.ino !== old.ino || now.size !== old.size || now.mtimeNs !== old.mtimeNs) return false;
  const isLongAgo = made.ctimeNs - old.mtimeNs > TICK_NS && old.mtimeNs % 1_000_000_000n !== 0n;
  return isLongAgo || Buffer.compare(content, readFileSync(path)) === 0;
}

/** A link is made only where nothing is, which a rename cannot promise. */
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
 * Moves the file aside, which takes whatever is there at that moment, and removes it for good when it holds `content`. Else it
 * goes back, unless something else is there by now; then it stays under the other name. False: it was not removed.
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

/** What file systems without a second name for a file answer, and those where it has too many already. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/**
 * False where a file has one name only: there a write in the last microseconds goes unnoticed. Undefined when the file was
 * replaced or removed in this very moment.
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
