// The repository of a commit, and the states in which no commit can be made. Each such state is refused with one line
// that says what is in progress and how to end it.

import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { type CommitGit, firstLine } from "./git.ts";

export interface Repository {
  readonly top: string;
  /** The git directory of this work tree. */
  readonly gitDir: string;
  readonly index: string;
  /** Undefined before the first commit. */
  readonly head: string | undefined;
  /** Undefined on a detached HEAD. */
  readonly branch: string | undefined;
}

/** Opens the repository; from then on git runs at the top of the work tree. */
export async function openRepository(git: CommitGit): Promise<Repository> {
  const found = await git.ask(["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-path", "index"]);
  const [top = "", gitDir = "", index = ""] = found.stdout.toString("utf8").split("\n");
  if (found.exitCode !== 0 || top === "") {
    if (/not a git repository/.test(found.stderr))
      throw usageError(`${git.cwd} is not in a git repository. Go to one, or make one: git init`);
    if (/work tree/.test(found.stderr))
      throw usageError(`${git.cwd} is not in the work tree of a git repository. Go to its files.`);
    throw new CliError(EXIT.failed, `git cannot use this repository: ${firstLine(found.stderr)}`);
  }
  const fullIndex = isAbsolute(index) ? index : join(git.cwd, index);
  git.cwd = top;
  return {
    top,
    gitDir,
    index: fullIndex,
    head: await git.text(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    branch: await git.text(["symbolic-ref", "--quiet", "--short", "HEAD"]),
  };
}

/** Operations that may be in progress: the file in the git directory, the name, and how to end it. */
const UNDER_WAY: readonly (readonly [file: string, name: string, ways: string])[] = [
  ["MERGE_HEAD", "merge", "git commit finishes it with its own message, git merge --abort undoes it"],
  ["rebase-merge", "rebase", "git rebase --continue resumes it, git rebase --abort undoes it"],
  ["rebase-apply/applying", "git am", "git am --continue resumes it, git am --abort undoes it"],
  ["rebase-apply", "rebase", "git rebase --continue resumes it, git rebase --abort undoes it"],
  ["CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue resumes it, git cherry-pick --abort undoes it"],
  ["REVERT_HEAD", "revert", "git revert --continue resumes it, git revert --abort undoes it"],
];

/** Throws a one-line error if no commit can be made now. Nothing has been changed or sent by then. */
export async function refuseUnusualStates(git: CommitGit, { gitDir, index }: Repository): Promise<void> {
  const lock = `${index}.lock`;
  if (existsSync(lock))
    throw new CliError(
      EXIT.failed,
      `Another git command is using this repository (${lock} exists). Wait for it; if none is running, remove that file.`,
    );
  const unmerged = new Set((await git.must(["ls-files", "--unmerged", "-z"])).toString("utf8").match(/\t[^\0]+/g));
  const conflicts =
    unmerged.size === 0 ? "" : ` Files with conflicts: ${[...unmerged].map((one) => one.trim()).join(", ")}.`;
  for (const [file, name, ways] of UNDER_WAY)
    if (existsSync(join(gitDir, file)))
      throw new CliError(EXIT.failed, `A ${name} is under way: ${ways}.${conflicts}`.replace("A git am", "git am"));
  if (unmerged.size > 0)
    throw new CliError(EXIT.failed, `Resolve the conflicts and stage the files first.${conflicts}`);
  for (const who of ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]) {
    const identity = await git.ask(["var", who]);
    if (identity.exitCode !== 0)
      throw new CliError(
        EXIT.failed,
        'git does not know your name and address. Set them: git config --global user.name "Your Name" && git config --global user.email you@example.com',
      );
  }
}
