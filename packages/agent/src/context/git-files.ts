// What git's own files say without starting git: whether there is a repository, and its branch.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../env/types.ts";

/** Folder that holds `.git`, from the given one upward. */
export async function repositoryRoot(env: ExecutionEnvironment, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    if (await env.stat(posix.join(folder, ".git"))) return folder;
    if (folder === posix.dirname(folder)) return undefined;
  }
}

export async function currentBranch(env: ExecutionEnvironment, root: string): Promise<string | undefined> {
  const dotGit = posix.join(root, ".git");
  const isFile = (await env.stat(dotGit))?.kind === "file";
  // In a worktree `.git` is a file that names the real folder.
  const folder = isFile ? (await env.readFile(dotGit)).replace(/^gitdir:\s*/, "").trim() : dotGit;
  const head = posix.join(folder.startsWith("/") ? folder : posix.join(root, folder), "HEAD");
  if (!(await env.fileExists(head))) return undefined;
  const text = (await env.readFile(head)).trim();
  return text.startsWith("ref: refs/heads/") ? text.slice("ref: refs/heads/".length) : "(detached)";
}
