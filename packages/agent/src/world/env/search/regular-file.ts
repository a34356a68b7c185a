// Regular files of the local disk, as searches and ignore rules read them: everything else, such as a pipe, is passed over unopened.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileKind } from "./search-fs.ts";

/** The text of a regular file; undefined when there is none that we may read. */
export function textOfRegularFile(path: string): string | undefined {
  return localKind(path) === "file" ? skipForbidden(() => readFileSync(path, "utf8"), undefined) : undefined;
}

export function localKind(path: string): FileKind | undefined {
  const stat = skipForbidden(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return stat?.isFile() ? "file" : stat?.isDirectory() ? "directory" : undefined;
}

const IGNORE_FILES = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];

/** ripgrep opens whatever has the name of an ignore file, at and above the searched place, and would wait for a pipe for ever. */
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

/** Files that vanish during the walk or that we may not read are skipped, as in ripgrep. */
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
