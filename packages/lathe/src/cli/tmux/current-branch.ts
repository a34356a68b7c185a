// The current branch of a folder's repository, for a tag that people read.

import { execFile } from "node:child_process";

const ANSWERS_WITHIN_MS = 5_000;

/** Undefined outside of a repository, and if no branch is checked out. */
export function currentBranch(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { cwd, env: env as NodeJS.ProcessEnv, timeout: ANSWERS_WITHIN_MS };
    execFile("git", ["symbolic-ref", "--short", "-q", "HEAD"], options, (error, stdout) =>
      resolve(error ? undefined : stdout.trim() || undefined),
    );
  });
}
