// A directory held open, so that operations happen in it even if its path changes meanwhile. Entries are named through
// the open directory if the system allows it (Linux), otherwise by path, with a check as late as possible.

import { constants, existsSync, realpathSync, statSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fromErrno, pathError } from "./fs-error.ts";

const OPEN_DIRECTORIES = "/proc/self/fd";
/** Linux only: a reference to the directory that needs no read permission. */
const O_PATH = 0o10000000;

export interface HeldDirectory {
  /** Path of an entry, valid while the directory is held. */
  entry(name: string): string;
  /**
   * Throws `changed` if entries are named by path and that path now leads elsewhere. To be called immediately before a
   * change.
   */
  stillThere(): void;
  close(): Promise<void>;
}

/** `path` is a real path: fails with `changed` if any part of it is a link. Creates missing directories. */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  try {
    return await hold(path, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw linkOrError(error, path);
  }
  const parent = await holdDirectory(dirname(path));
  try {
    await fs.mkdir(parent.entry(basename(path))).catch((error: NodeJS.ErrnoException) => {
      // Another process created it first; the next step checks what it created.
      if (error.code !== "EEXIST") throw error;
    });
    parent.stillThere();
    return await hold(parent.entry(basename(path)), path);
  } catch (error) {
    throw linkOrError(error, path);
  } finally {
    await parent.close();
  }
}

/** Holds a directory by its path and follows links, for callers that do not care about its real location. */
export async function directoryByPath(path: string): Promise<HeldDirectory> {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) await fs.mkdir(path, { recursive: true });
  return { entry: (name) => join(path, name), stillThere: () => {}, close: async () => {} };
}

async function hold(opened: string, path: string): Promise<HeldDirectory> {
  const named = process.platform === "linux" && existsSync(OPEN_DIRECTORIES);
  const flags = (named ? O_PATH : constants.O_RDONLY) | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await fs.open(opened, flags);
  const throughHandle = `${OPEN_DIRECTORIES}/${handle.fd}`;
  const { ino, dev } = await handle.stat();
  const verify = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino !== ino || now.dev !== dev || realpathSync.native(path) !== path) throw pathError("changed", path);
  };
  try {
    verify();
  } catch (error) {
    await handle.close();
    throw linkOrError(error, path);
  }
  return {
    entry: (name) => join(named ? throughHandle : path, name),
    stillThere: named ? () => {} : verify,
    close: () => handle.close(),
  };
}

/** For a link in place of a directory, the system reports "not a directory" or a loop. */
function linkOrError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ELOOP" || (code === "ENOTDIR" && isLink(path)) ? pathError("changed", path) : fromErrno(error, path);
}

function isLink(path: string): boolean {
  try {
    return realpathSync.native(path) !== path;
  } catch {
    return false;
  }
}
