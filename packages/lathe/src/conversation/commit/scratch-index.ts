// Copies of the index that a commit works with, in the git directory of the work tree, and replacing the real index
// with one.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { Repository } from "./repository.ts";

export const folderOf = ({ gitDir }: Pick<Repository, "gitDir">): string => join(gitDir, "lathe-commit");

/** Copies an index file; before the first `git add` of a repository there is none. */
export function copyIndex(from: string, to: string): void {
  rmSync(to, { force: true });
  if (!existsSync(from)) return;
  copyFileSync(from, to);
  // Git compares the time of the index with the times of files.
  const { atime, mtime } = statSync(from);
  utimesSync(to, atime, mtime);
}

/** Replaces the repository's index with `from` as git does: with its lock, atomically. */
export function installIndex({ index }: Pick<Repository, "index">, from: string): void {
  const lock = `${index}.lock`;
  let fd: number;
  try {
    fd = openSync(lock, "wx", 0o644);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new CliError(
      EXIT.failed,
      `Another git command is using the index (${lock} exists). Try again when it has ended.`,
    );
  }
  try {
    if (!existsSync(from)) {
      // No index means the same as an empty one.
      rmSync(index, { force: true });
      return;
    }
    writeSync(fd, readFileSync(from));
    fsyncSync(fd);
    const { atime, mtime } = statSync(from);
    utimesSync(lock, atime, mtime);
    renameSync(lock, index);
  } finally {
    closeSync(fd);
    rmSync(lock, { force: true });
  }
}

export const isSameIndex = (a: string, b: string): boolean =>
  existsSync(a) === existsSync(b) && (!existsSync(a) || readFileSync(a).equals(readFileSync(b)));

export function makeFolder(repository: Repository): string {
  const folder = folderOf(repository);
  mkdirSync(folder, { recursive: true });
  return folder;
}
