// Why sessions cannot be kept in a folder, said before anything is lost. Nothing is written to find out.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/** One line with what to do; undefined when it can be written, or made where it is missing. */
export function unwritableReason(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const isFolder = statSync(at).isDirectory();
      if (isFolder) accessSync(at, constants.W_OK);
      return isFolder ? undefined : unwritableLine(folder, `${at} is a file`);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // Not there yet, or below something that is no folder: what is above it decides.
      if ((code === "ENOENT" || code === "ENOTDIR") && at !== dirname(at)) continue;
      return unwritableLine(folder, code === "EROFS" ? "the file system is read-only" : code);
    }
  }
}

const unwritableLine = (folder: string, why: string): string =>
  `This session cannot be kept: ${folder} cannot be written (${why}). Set LATHE_HOME to another folder, or start with --no-session.`;
