// Where memories are kept: one database for all projects, and for each project a folder with what was made of its memories.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SHARED } from "./memory.ts";

export const databaseIn = (home: string): string => join(home, "memory", "memory.db");

/** The repository that the folder is in, else the folder itself. */
export function projectOfFolder(cwd: string): string {
  for (let path = cwd; ; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return path;
    if (path === dirname(path)) return cwd;
  }
}

/** Its name is for people; the digest tells projects of one name apart. */
export function folderOf(home: string, project: string): string {
  if (project === SHARED) return join(home, "memory", "shared");
  const name = basename(project)
    .replace(/[^\w.-]+/g, "-")
    .slice(0, 40);
  const digest = createHash("sha256").update(project).digest("hex").slice(0, 12);
  return join(home, "memory", `${name}-${digest}`);
}
