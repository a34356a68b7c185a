// Explains why a folder cannot be written. It finds out without writing.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * One line with what to do, before any work is lost; undefined if sessions can be saved in the folder. `orElse`: how to
 * do without the file.
 */
export function unwritableReason(folder: string, orElse = "start with --no-session"): string | undefined {
  const why = whyUnwritable(folder);
  if (why === undefined) return undefined;
  return `This session cannot be saved: ${folder} cannot be written (${why}). Set LATHE_HOME to another folder, or ${orElse}.`;
}

/** A few words; undefined if the folder can be written, or created if it is missing. */
export function whyUnwritable(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const isFolder = statSync(at).isDirectory();
      if (isFolder) accessSync(at, constants.W_OK);
      return isFolder ? undefined : `${at} is a file`;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // The path does not exist yet, or is below something that is not a folder: check its parent instead.
      if ((code === "ENOENT" || code === "ENOTDIR") && at !== dirname(at)) continue;
      return reasonOf(code);
    }
  }
}

export const reasonOf = (code: string): string => (code === "EROFS" ? "EROFS: the file system is read-only" : code);
