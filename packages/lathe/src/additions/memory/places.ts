// The places of memories: one database for all projects, and a folder per project with the files made from its
// memories.

import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { SHARED } from "./memory.ts";

export const databaseIn = (home: string): string => join(home, "memory", "memory.db");

/** The file that remembers digests of files. */
export const marksIn = (home: string): string => join(home, "cache", "memory-files.json");

export interface ProjectPlace {
  /** The repository, which all its working trees share, or else the folder. */
  readonly project: string;
  /** The folder of the files: the working tree. */
  readonly root: string;
}

export function projectOfFolder(cwd: string): ProjectPlace {
  for (let path = cwd; ; path = dirname(path)) {
    const git = join(path, ".git");
    if (existsSync(git)) return { project: repositoryOf(git) ?? path, root: path };
    if (path === dirname(path)) return { project: cwd, root: cwd };
  }
}

/** A linked working tree names its repository. */
function repositoryOf(git: string): string | undefined {
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return undefined;
  const [, folder] = /^gitdir: (.+?)\/\.git\/worktrees\/[^/\n]+\n?$/.exec(readFileSync(git, "utf8")) ?? [];
  return folder !== undefined && isAbsolute(folder) && existsSync(folder) ? folder : undefined;
}

/**
 * The folder's name is readable; the number distinguishes projects of the same name, and the files inside name their
 * project.
 */
export function folderOf(home: string, project: string): string {
  if (project === SHARED) return join(home, "memory", "shared");
  const name = basename(project)
    .replace(/[^\w.-]+/g, "-")
    .slice(0, 40);
  return join(home, "memory", `${name}-${numberOf(project)}`);
}

/** FNV-1a, twice: anything better would have to load a library at every start. */
function numberOf(text: string): string {
  const hash = (seed: number): string => {
    let value = seed;
    for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return `${hash(0x811c9dc5)}${hash(0x050c5d1f)}`;
}
