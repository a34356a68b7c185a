// Inspects files without following links, and copies git's index without changing its meaning.

import {
  accessSync,
  constants,
  copyFileSync,
  lstatSync,
  realpathSync,
  type Stats,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname } from "node:path";

/** Undefined if nothing exists, or if something that is not a folder has replaced a parent folder. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Only for something that exists. */
export const isBehindLink = (path: string): boolean => realpathSync(dirname(path)) !== dirname(path);

/** Whether this process may read the file; does not follow links. */
export function canRead(path: string, stat: Stats): boolean {
  if (stat.isSymbolicLink()) return true;
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // that is the answer
  }
}

/**
 * Git treats a file as unchanged if its size and times match the index, unless the index is not newer than the file. A
 * copy that looked newer would hide a change of the same size in the same second.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const { mtimeMs } = statSync(from);
  const seconds = Math.floor(mtimeMs) / 1000;
  utimesSync(to, seconds, seconds);
}
