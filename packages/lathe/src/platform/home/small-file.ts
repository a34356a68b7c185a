// Small files of the user's that are read at every start. At once: waiting for each takes longer than reading it, and
// node:fs/promises longer to load than reading all of them.

import { readFileSync, type Stats, statSync } from "node:fs";

/** Stands where the system has a code. */
export const PIPE = "it is a pipe or device";

/** Undefined when there is none; throws for one that cannot be read. */
export function readIfThere(file: string): string | undefined {
  // Most are absent most of the time, and throwing is expensive.
  const stat = statIfThere(file);
  if (!stat) return undefined;
  // A pipe would be waited for, a device may have no end.
  if (!stat.isFile() && !stat.isDirectory())
    throw Object.assign(new Error(`${file} is a pipe or device`), { code: PIPE });
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Like `readIfThere`, and undefined as well for a file that cannot be read. */
export function readIfReadable(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}

/** Below something that is no directory there is nothing, either. */
function statIfThere(file: string): Stats | undefined {
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
    return false; // nothing there, or nothing we may look at
  }
}
