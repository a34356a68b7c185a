// A directory held open, so that operations happen in it even if its path changes in the meantime. Entries are named
// through the open directory where the system allows it (Linux), else by path, with a check as late as possible.

import { constants, existsSync, realpathSync, statSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fromErrno, pathError } from "./fs-error.ts";

const OPEN_DIRECTORIES = "/proc/self/fd";
/** Linux only: a reference to the directory, which needs no right to read it. */
const O_PATH = 0o10000000;

export interface HeldDirectory {
  /** Path of one of its entries, as long as it is held. */
  entry(name: string): string;
  /** Throws `changed` when entries are named by path and that leads elsewhere by now. For the last moment before a change. */
  stillThere(): void;
  close(): Promise<void>;
}

/** `path` is real: fails with `changed` when a link stands anywhere on the way. Missing directories are made. */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  try {
    return await hold(path, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw linkOrError(error, path);
  }
  const parent = await holdDirectory(dirname(path));
  try {
    await fs.mkdir(parent.entry(basename(path))).catch((error: NodeJS.ErrnoException) => {
      // Another process was quicker; what it made is looked at next.
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

/** Holds a directory by its path and follows links: for callers that do not mind where it lies. */
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

/** A link in the place of a directory is refused by the system as "not a directory" or as a loop. */
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
