// Pushes a branch that `pr_checkout` created back to its pull request.

import { ToolFailure } from "@lathe/agent";
import { PULL_KEYS } from "./checkout.ts";
import type { Git, GitOptions } from "./git.ts";

export interface PushTarget {
  readonly branch: string;
  readonly remote: string;
  readonly headRef: string;
  /** The page of the pull request. */
  readonly url: string;
  readonly isCrossRepository: boolean;
  readonly maintainerCanModify: boolean;
}

export async function currentBranch(git: Git): Promise<string> {
  const branch = await git.text(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (branch === undefined) throw new ToolFailure("No branch is checked out here. Name one with `branch`.");
  return branch;
}

/** Reads the target from the branch's settings, which are its only source. */
export async function pushTarget(git: Git, wanted: string | undefined): Promise<PushTarget> {
  const branch = wanted ?? (await currentBranch(git));
  const setting = (key: string): Promise<string | undefined> =>
    git.text(["config", "--get", `branch.${branch}.${key}`]);
  const headRef = await setting(PULL_KEYS.headRef);
  const remote = (await setting("pushRemote")) ?? (await setting("remote"));
  if (headRef === undefined || remote === undefined)
    throw new ToolFailure(`No pull request is recorded for ${branch}. Check one out with pr_checkout first.`);
  return {
    branch,
    remote,
    headRef,
    url: (await setting(PULL_KEYS.url)) ?? `${remote}/${headRef}`,
    isCrossRepository: (await setting(PULL_KEYS.isCrossRepository)) === "true",
    maintainerCanModify: (await setting(PULL_KEYS.maintainerCanModify)) === "true",
  };
}

export async function pushBranch(
  git: Git,
  target: PushTarget,
  { forceWithLease, token }: { readonly forceWithLease: boolean; readonly token: GitOptions["token"] },
): Promise<string> {
  const { branch, remote, headRef, isCrossRepository, maintainerCanModify } = target;
  const current = await git.text(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  const from = current === branch ? "HEAD" : `refs/heads/${branch}`;
  // Submodules have configurations of their own.
  const options = ["--no-recurse-submodules", ...(forceWithLease ? ["--force-with-lease"] : [])];
  const args = ["push", ...options, remote, `${from}:refs/heads/${headRef}`];
  const { exitCode, stderr } = await git.ask(args, { isAllowed: true, token });
  if (exitCode === 0) return /Everything up-to-date/.test(stderr) ? "Everything was already up to date." : "";
  const said = stderr
    .split("\n")
    .filter((line) => /^\s*!|^(?:fatal|error|remote):/.test(line) && line.trim() !== "remote:");
  const why = said.map((line) => line.trim().replace(/^(?:fatal|error): /, "")).join("; ");
  const note = isCrossRepository && !maintainerCanModify ? " Its author does not let maintainers push to it." : "";
  throw new ToolFailure(
    `The push to ${remote}/${headRef} did not work: ${why || `git ended with code ${exitCode}`}.${note}`,
  );
}
