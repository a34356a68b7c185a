// Looking at files without following links, and copying git's index without changing what it means.

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

/** Undefined when there is nothing, or when something that is no folder has taken the place of a folder above. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Of something that exists. */
export const isBehindLink = (path: string): boolean => realpathSync(dirname(path)) !== dirname(path);

/** Whether this process may read the file; links are not followed. */
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
 * Git takes a file for unchanged when size and times are those in the index, unless the index is no younger than the file. A copy
 * that looks younger would hide a change of the same size in the same second.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const { mtimeMs } = statSync(from);
  const seconds = Math.floor(mtimeMs) / 1000;
  utimesSync(to, seconds, seconds);
}
