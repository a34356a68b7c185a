// Regular files of the local disk for searches and ignore rules; everything else, such as a pipe, is skipped without
// opening it.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileKind } from "./search-fs.ts";

/** The text of a regular file; undefined if there is none that we may read. */
export function textOfRegularFile(path: string): string | undefined {
  return localKind(path) === "file" ? skipForbidden(() => readFileSync(path, "utf8"), undefined) : undefined;
}

export function localKind(path: string): FileKind | undefined {
  const stat = skipForbidden(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return stat?.isFile() ? "file" : stat?.isDirectory() ? "directory" : undefined;
}

const IGNORE_FILES = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];

/**
 * ripgrep opens anything with the name of an ignore file, in the searched directory and its parents, and would wait for
 * a pipe forever.
 */
export function hasOddIgnoreFile(path: string): boolean {
  const isOdd = (file: string): boolean => {
    const stat = skipForbidden(() => statSync(file, { throwIfNoEntry: false }), undefined);
    return stat !== undefined && !stat.isFile() && !stat.isDirectory();
  };
  for (let at = path; ; at = dirname(at)) {
    if (IGNORE_FILES.some((name) => isOdd(join(at, name)))) return true;
    if (at === dirname(at)) return false;
  }
}

/** As in ripgrep, skips files that vanish during the walk or that we may not read. */
export function skipForbidden<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (
      ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      return otherwise;
    throw error;
  }
}
