// What a view created or removed outside any tree: ignored files, pipes, empty folders. We find it by scanning the
// view's own files, so that nothing that does not land is skipped silently.

import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lstatOf } from "./on-disk.ts";
import { isBadName, isTooLarge } from "./tree.ts";
import type { LeftOut, LeftOutReason } from "./types.ts";

/** The files that a view stores separately from the project. */
export interface ViewFiles {
  /** The folder that corresponds to the root. */
  readonly folder: string;
  /** Whether the view created or changed the entry. */
  isOwn(stat: Stats): boolean;
  /** Whether the entry marks something of the project as removed in the view. */
  isRemoval(stat: Stats): boolean;
  /** Whether the view started with this entry of the project: if it is missing now, the view removed it. */
  hadAtFirst(stat: Stats): boolean;
}

/** The input of the search; paths are absolute paths of the project. */
export interface Search {
  readonly root: string;
  readonly files: ViewFiles;
  /** Changes that are part of a tree. */
  readonly changes: ReadonlySet<string>;
  /** Paths that are already reported. */
  readonly leftOut: ReadonlySet<string>;
  /** Returns the paths that git ignores. */
  readonly findIgnored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
}

export async function findLeftOut(search: Search): Promise<LeftOut[]> {
  const found = new LeftOutSearch(search);
  found.look(search.root);
  for (let waiting = found.takeWaiting(); waiting.length > 0; waiting = found.takeWaiting()) {
    const ignored = await search.findIgnored(waiting.map(({ path }) => path));
    for (const { path, isFolder } of waiting) {
      if (ignored.has(path)) found.report(path, "ignored");
      else if (isFolder) found.scanNewFolder(path);
    }
  }
  return found.leftOut;
}

class LeftOutSearch {
  readonly leftOut: LeftOut[] = [];
  readonly #search: Search;
  /** Parent folders of something that lands. */
  readonly #above: ReadonlySet<string>;
  #waiting: { readonly path: string; readonly isFolder: boolean }[] = [];

  constructor(search: Search) {
    this.#search = search;
    this.#above = foldersAbove(search.changes, search.root);
  }

  /** Returns the paths to check with git. */
  takeWaiting() {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  report(path: string, why: LeftOutReason): void {
    this.leftOut.push({ path, why });
  }

  look(folder: string): void {
    const entries = this.#entries(folder);
    if (!entries) return;
    this.#findMissing(folder, new Set(entries.map(({ name }) => name)));
    for (const { name } of entries) {
      const path = join(folder, name);
      // The data of a repository belongs to the view.
      if (name === ".git" || this.#search.leftOut.has(path)) continue;
      if (isBadName(name)) this.report(path, "name");
      else this.#scanEntry(path, lstatSync(this.#pathInView(path)));
    }
  }

  /** A folder that the project does not have. */
  scanNewFolder(folder: string): void {
    if (hasFiles(this.#pathInView(folder))) this.look(folder);
    else this.report(folder, "empty");
  }

  #scanEntry(path: string, stat: Stats): void {
    const { files, changes } = this.#search;
    if (stat.isDirectory()) {
      if (this.#above.has(path) || lstatOf(path)?.isDirectory()) this.look(path);
      else this.#waiting.push({ path, isFolder: true });
    } else if (changes.has(path) || !files.isOwn(stat)) return;
    else if (files.isRemoval(stat)) this.#scanRemoved(path);
    else if (stat.isFile() || stat.isSymbolicLink()) {
      if (!isSame(this.#pathInView(path), path)) this.#waiting.push({ path, isFolder: false });
    } else if (typeOf(lstatOf(path)) !== typeOf(stat)) this.report(path, "special");
  }

  /** Whatever is not part of a tree stays in the project. */
  #scanRemoved(path: string): void {
    const stat = lstatOf(path);
    if (!stat) return;
    if (!stat.isDirectory()) this.report(path, stayReason(stat));
    else if (!hasFiles(path)) this.report(path, "empty");
    else if (hasFiles(path, (file) => !this.#search.changes.has(file))) this.report(path, "ignored");
  }

  #findMissing(folder: string, names: ReadonlySet<string>): void {
    const { files, changes, leftOut } = this.#search;
    for (const name of lstatOf(folder)?.isDirectory() ? readdirSync(folder) : []) {
      const path = join(folder, name);
      if (name === ".git" || names.has(name) || changes.has(path) || leftOut.has(path)) continue;
      const stat = lstatOf(path);
      if (stat && files.hadAtFirst(stat)) this.#scanRemoved(path);
    }
  }

  #pathInView(path: string): string {
    return join(this.#search.files.folder, relative(this.#search.root, path));
  }

  /** Undefined if it cannot be read. */
  #entries(folder: string): Dirent[] | undefined {
    try {
      return readdirSync(this.#pathInView(folder), { withFileTypes: true });
    } catch (error) {
      if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      this.report(folder, "unreadable");
      return undefined;
    }
  }
}

function foldersAbove(paths: ReadonlySet<string>, root: string): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = dirname(path); at !== root && at !== dirname(at) && !folders.has(at); at = dirname(at))
      folders.add(at);
  return folders;
}

function hasFiles(folder: string, isWanted: (path: string) => boolean = () => true): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? hasFiles(path, isWanted) : isWanted(path);
  });
}

function stayReason(stat: Stats): LeftOutReason {
  if (!stat.isFile() && !stat.isSymbolicLink()) return "special";
  return isTooLarge(stat) ? "large" : "ignored";
}

const typeOf = (stat: Stats | undefined): number | undefined => stat && stat.mode & 0o170000;

function isSame(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatOf(other)];
  if (!b || typeOf(a) !== typeOf(b) || a.size !== b.size) return false;
  if (a.isSymbolicLink()) return readlinkSync(one) === readlinkSync(other);
  return !isTooLarge(a) && readFileSync(one).equals(readFileSync(other));
}
