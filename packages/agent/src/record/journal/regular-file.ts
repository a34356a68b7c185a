// Journals and locks are regular files. Anything else under their name (a pipe, a device, a folder, a link loop) is
// refused with an error that names it: opening a pipe would wait for a writer forever.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { JournalError } from "./errors.ts";

/** Never blocks. Throws the system's error, or a JournalError if it is not a regular file. */
export function openRegularFile(path: string, flags = constants.O_RDONLY, mode = 0o600): number {
  let fd: number;
  try {
    fd = openSync(path, flags | constants.O_NONBLOCK, mode);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EISDIR" ? notRegular(path) : error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

function notRegular(path: string): JournalError {
  return new JournalError("io", `${path} is not a regular file. Move it away or use another path.`);
}

/** The first bytes of a regular file. */
export function readStart(path: string, length: number): Buffer {
  const fd = openRegularFile(path);
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, 0));
  } finally {
    closeSync(fd);
  }
}

/** One canonical path for a journal, whichever link leads to it; the file need not exist yet. */
export function realJournalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unreachable(path, error);
  }
  if (lstatSync(path, { throwIfNoEntry: false })) {
    throw new JournalError("io", `${path} is a link to a file that is not there. Remove the link or use another path.`);
  }
  try {
    return join(realpathSync.native(dirname(path)), basename(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw unreachable(path, error);
  }
}

function unreachable(path: string, cause: unknown): JournalError {
  return new JournalError("io", `The session file ${path} cannot be opened: ${(cause as Error).message}`, { cause });
}
