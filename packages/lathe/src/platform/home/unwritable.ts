// Explains why sessions cannot be saved in a folder, before any work is lost. It finds out without writing.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * One line with what to do; undefined if the folder can be written, or created if it is missing. `orElse`: how to do
 * without the file.
 */
export function unwritableReason(folder: string, orElse = "start with --no-session"): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const isFolder = statSync(at).isDirectory();
      if (isFolder) accessSync(at, constants.W_OK);
      return isFolder ? undefined : unwritableLine(folder, `${at} is a file`, orElse);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // The path does not exist yet, or is below something that is not a folder: check its parent instead.
      if ((code === "ENOENT" || code === "ENOTDIR") && at !== dirname(at)) continue;
      return unwritableLine(folder, code === "EROFS" ? "the file system is read-only" : code, orElse);
    }
  }
}

const unwritableLine = (folder: string, why: string, orElse: string): string =>
  `This session cannot be saved: ${folder} cannot be written (${why}). Set LATHE_HOME to another folder, or ${orElse}.`;
