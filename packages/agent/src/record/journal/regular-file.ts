// Journals and locks are regular files. Anything else under their name (a pipe, a device, a folder, a loop of links) is
// refused by name: opening a pipe would wait for a writer for ever.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { JournalError } from "./errors.ts";

/** Does not wait for anything. Throws the system's error, or a JournalError for what is no regular file. */
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

/** One name for a journal by whichever link it is reached; it need not be there yet. */
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
