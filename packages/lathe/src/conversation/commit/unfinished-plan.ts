// The plan of commits, on disk until all of them are made: after a crash, the next process continues it or undoes what
// was made. What was staged stays staged all the time, so losing this file loses nothing.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@lathe/llm";
import { Checker, exactly, flag, listOf, object, optional, type Static, text } from "@lathe/llm/schema";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { CommitGit } from "./git.ts";
import type { Repository } from "./repository.ts";
import { folderOf, installIndex, isSameIndex, makeFolder } from "./scratch-index.ts";

const entry = object({ path: text(), mode: optional(text()), oid: optional(text()) });
const planFile = object({
  version: exactly(1),
  /** The commit that HEAD was at; "" before the first commit. */
  head: text(),
  noVerify: flag(),
  signOff: flag(),
  commits: listOf(object({ message: text(), tree: text(), entries: listOf(entry) })),
  made: listOf(text()),
});
const CHECKER = new Checker(planFile);

export type CommitPlan = Static<typeof planFile>;

const planPath = (repository: Repository): string => join(folderOf(repository), "plan.json");
/** The index before the first commit of the plan. */
export const indexBefore = (repository: Repository): string => join(folderOf(repository), "index-before");

export function savePlan(repository: Repository, plan: CommitPlan): void {
  const path = join(makeFolder(repository), "plan.json");
  writeFileSync(`${path}.new`, JSON.stringify(plan));
  renameSync(`${path}.new`, path);
}

export const forgetPlan = (repository: Repository): void =>
  rmSync(folderOf(repository), { recursive: true, force: true });

/** The plan that a killed process left, including the commits it made. */
export async function readUnfinishedPlan(git: CommitGit, repository: Repository): Promise<CommitPlan | undefined> {
  const path = planPath(repository);
  if (!existsSync(path)) return undefined;
  let plan: CommitPlan;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!CHECKER.fits(value)) return undefined;
    plan = value as CommitPlan;
  } catch (error) {
    throw new CliError(
      EXIT.failed,
      `${path} cannot be read (${messageOf(error)}). Remove it: what was staged is still staged.`,
    );
  }
  return withLastCommit(git, repository.head, plan);
}

/** Git may have made one more commit than the plan recorded. */
export async function withLastCommit(git: CommitGit, head: string | undefined, plan: CommitPlan): Promise<CommitPlan> {
  const next = plan.commits[plan.made.length];
  const last = plan.made.at(-1) ?? plan.head;
  if (!next || head === undefined || head === last) return plan;
  const parent = (await git.text(["rev-parse", "--verify", "--quiet", `${head}^`])) ?? "";
  const tree = await git.text(["rev-parse", `${head}^{tree}`]);
  return parent === last && tree === next.tree ? { ...plan, made: [...plan.made, head] } : plan;
}

/** One line that explains `--continue` and `--abort`. */
export function unfinishedLine({ commits, made }: CommitPlan): string {
  return `A lathe commit was interrupted after ${made.length} of ${commits.length} commits; the rest is still staged. To make them: lathe commit --continue. To undo those that were made and keep everything staged: lathe commit --abort`;
}

/** Restores HEAD and index to before the first commit of the plan. Files are left alone. */
export async function undoPlan(git: CommitGit, repository: Repository, plan: CommitPlan): Promise<void> {
  const made = plan.made.at(-1);
  const head = (await git.text(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) ?? "";
  // If we made no commit, there is nothing to undo, whatever HEAD is.
  if (made !== undefined && head !== plan.head) {
    if (head !== made)
      throw new CliError(
        EXIT.failed,
        `HEAD has moved since (it is at ${head.slice(0, 12)}), so nothing was undone. To go on without the plan: rm -r ${folderOf(repository)}`,
      );
    const how = plan.head === "" ? ["-d", "HEAD", head] : ["HEAD", plan.head, head];
    await git.must(["update-ref", "-m", "lathe commit: taken back", ...how]);
  }
  if (!isSameIndex(indexBefore(repository), repository.index)) installIndex(repository, indexBefore(repository));
  forgetPlan(repository);
}
