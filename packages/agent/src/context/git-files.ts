// What git's own files say without starting git: whether there is a repository, and its branch.

import { posix } from "node:path";
import { EnvError, type ExecutionEnvironment } from "../world/env/types.ts";

/** Finds the folder that contains `.git`, from the given one upward. */
export async function repositoryRoot(env: ExecutionEnvironment, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    if (await hasEntry(env, entryOf(folder, ".git"))) return folder;
    if (folder === posix.dirname(folder)) return undefined;
  }
}

/** Nothing is above the folder that an environment is confined to, such as that of a child agent. */
async function hasEntry(env: ExecutionEnvironment, path: string): Promise<boolean> {
  try {
    return (await env.stat(path)) !== undefined;
  } catch (error) {
    if (error instanceof EnvError && error.code === "outside_root") return false;
    throw error;
  }
}

/** Avoids `join`: nothing else needs it at startup, and the first use of each of Node's functions costs time. */
export function entryOf(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

const LONGEST_HEAD = 1024;
/** The longest possible path. */
const LONGEST_LINK = 4096;

export async function currentBranch(env: ExecutionEnvironment, root: string): Promise<string | undefined> {
  const folder = await gitFolder(env, root);
  if (folder === undefined) return undefined;
  const head = posix.join(folder, "HEAD");
  // Reading a pipe here would block, and text that is not a branch name must not reach the model.
  const stat = await env.stat(head);
  if (stat?.kind !== "file" || stat.size > LONGEST_HEAD) return undefined;
  const [, branch] = /^ref: refs\/heads\/([^\n]+)\n?$/.exec(await env.readFile(head)) ?? [];
  return branch ?? "(detached)";
}

/** In a worktree, `.git` is a file that names the real folder. */
async function gitFolder(env: ExecutionEnvironment, root: string): Promise<string | undefined> {
  const dotGit = posix.join(root, ".git");
  const stat = await env.stat(dotGit);
  if (stat?.kind === "directory") return dotGit;
  // Anything else in the file may come from an author we do not trust.
  if (stat?.kind !== "file" || stat.size > LONGEST_LINK) return undefined;
  return posix.resolve(root, (await env.readFile(dotGit)).replace(/^gitdir: /, "").replace(/[\r\n]+$/, ""));
}
