// Git's uncommitted changes in the repository that a session works in.

import type { Session } from "@lathe/agent";
import { visibleLine } from "@lathe/agent/base";
import { usageError } from "../platform/usage/exit.ts";

const TIMEOUT_MS = 20_000;

export interface WorkingDiff {
  /** False: there is no commit yet, and the diff is against the empty tree. */
  readonly hasCommit: boolean;
  readonly diff: string;
  /** New files that git does not track yet. */
  readonly untracked: readonly string[];
}

export async function workingDiff({ env }: Session): Promise<WorkingDiff> {
  const git = async (command: string): Promise<string> => {
    const { output, exitCode } = await env.execCommand(`git --no-pager ${command}`, TIMEOUT_MS);
    if (exitCode === 0) return output.trimEnd();
    throw usageError(`git diff failed: ${visibleLine(output) || `exit ${exitCode}`}.`);
  };
  const at = await env.execCommand("git rev-parse --quiet --verify HEAD", TIMEOUT_MS);
  if (/not a git repository/i.test(at.output)) throw usageError("Not a git repository.");
  const hasCommit = at.exitCode === 0;
  // Before the first commit everything in the index is new, so the diff is against the empty tree.
  const base = hasCommit ? "HEAD" : await git("hash-object -t tree /dev/null");
  const diff = await git(`diff --no-color --no-ext-diff ${base} -- .`);
  const added = await git("ls-files --others --exclude-standard");
  return { hasCommit, diff, untracked: added === "" ? [] : added.split("\n") };
}
