// Reads small user files that are needed at every start. The reads are synchronous: waiting for each takes longer than
// reading it, and loading node:fs/promises takes longer than reading them all.

import { readFileSync, type Stats, statSync } from "node:fs";

/** Used in place of a system error code. */
export const PIPE = "it is a pipe or device";

/** The text; undefined if the file does not exist. Throws if it cannot be read. */
export function readIfThere(file: string): string | undefined {
  // Most of these files usually do not exist, and throwing is expensive.
  const stat = statIfThere(file);
  if (!stat) return undefined;
  // Reading a pipe would block, and a device may have no end.
  if (!stat.isFile() && !stat.isDirectory())
    throw Object.assign(new Error(`${file} is a pipe or device`), { code: PIPE });
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Like `readIfThere`, but also undefined if the file cannot be read. */
export function readIfReadable(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}

/** A path below something that is not a directory does not exist either. */
export function statIfThere(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // it does not exist, or we may not look at it
  }
}
