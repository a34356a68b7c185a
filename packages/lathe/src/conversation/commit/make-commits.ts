// Makes the commits of a plan, all or none: if git or a hook refuses one, HEAD and index are restored. Every commit but
// the last is made from a copy of the index, so that the rest stays staged until its own commit.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import type { Entry } from "./change.ts";
import { type CommitGit, firstLine } from "./git.ts";
import type { Repository } from "./repository.ts";
import { copyIndex, folderOf } from "./scratch-index.ts";
import { type Contents, writeTreeWith } from "./trees.ts";
import { type CommitPlan, forgetPlan, indexBefore, savePlan, undoPlan, withLastCommit } from "./unfinished-plan.ts";

export interface MadeCommit {
  readonly id: string;
  /** The message in git: a hook may have changed it. */
  readonly message: string;
  readonly isMessageChanged: boolean;
  /** Paths whose committed content a hook changed. */
  readonly changedByHook: readonly string[];
  /** Files that a hook changed without staging them. */
  readonly editedByHook: readonly string[];
}

/** Git or a hook refused the commit; everything except files that a hook edited is as before. */
export class CommitRefused extends CliError {
  readonly output: string;
  readonly editedByHook: readonly string[];
  constructor(message: string, output: string, editedByHook: readonly string[]) {
    super(EXIT.failed, message);
    this.output = output;
    this.editedByHook = editedByHook;
  }
}

interface Making {
  readonly git: CommitGit;
  readonly repository: Repository;
  readonly onOutput: (text: string) => void;
}

/** The commits in `plan.made` already exist. The caller has saved the index with `keepIndex`. */
export async function makeCommits(making: Making, given: CommitPlan): Promise<MadeCommit[]> {
  const { git, repository } = making;
  const made: MadeCommit[] = [];
  let plan = given;
  try {
    while (plan.made.length < plan.commits.length) {
      savePlan(repository, plan);
      const commit = await makeNext(making, plan);
      plan = await applyHookChanges(git, repository, { ...plan, made: [...plan.made, commit.id] }, commit);
      made.push(commit);
    }
  } catch (error) {
    // If the work was interrupted right after a commit, that commit is undone with the others.
    const calm = git.withoutInterrupt();
    const head = await calm.text(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    await undoPlan(calm, repository, await withLastCommit(calm, head, plan));
    throw error;
  }
  forgetPlan(repository);
  return made;
}

async function makeNext({ git, repository, onOutput }: Making, plan: CommitPlan): Promise<MadeCommit> {
  const at = plan.made.length;
  const { message, tree, entries } = plan.commits[at]!;
  const parent = plan.made.at(-1) ?? plan.head;
  const head = (await git.text(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) ?? "";
  if (head !== parent) throw new CliError(EXIT.failed, "HEAD has moved meanwhile: nothing was committed. Try again.");
  const copy = join(folderOf(repository), "index-next");
  copyIndex(repository.index, copy);
  const isLast = at === plan.commits.length - 1;
  const prepared = await writeTreeWith(git, copy, isLast ? new Map() : contentsIn(entries));
  if (prepared !== tree)
    throw new CliError(EXIT.failed, "The staged changes have changed meanwhile. Nothing was committed; try again.");
  const before = await editedFiles(git, repository);
  let output = "";
  const collect = (text: string): void => {
    output = (output + text).slice(-64_000);
    onOutput(text);
  };
  const args = ["commit", "-q", "--no-status", "--cleanup=whitespace", "-F", "-"];
  if (plan.noVerify) args.push("--no-verify");
  if (plan.signOff) args.push("--signoff");
  const { exitCode, stderr } = await git.act(args, {
    stdin: `${message}\n`,
    onOutput: collect,
    ...(isLast ? {} : { index: copy }),
  });
  const after = await editedFiles(git, repository);
  const editedByHook = [...after].flatMap(([path, sign]) => (before.get(path) === sign ? [] : [path]));
  if (exitCode !== 0) throw refusal(exitCode, stderr, output, editedByHook);
  const id = (await git.must(["rev-parse", "HEAD"])).toString("utf8").trim();
  const written = (await git.must(["log", "-1", "--encoding=UTF-8", "--format=%B", id])).toString("utf8").trim();
  const changedByHook = [...(await diffTrees(git, tree, `${id}^{tree}`)).keys()];
  const isOwn = written === message.trim() || (plan.signOff && written.startsWith(message.trim()));
  return { id, message: written, isMessageChanged: !isOwn, changedByHook, editedByHook };
}

function refusal(exitCode: number, stderr: string, output: string, edited: readonly string[]): CommitRefused {
  const own = /^(?:fatal|error): /m.test(stderr) ? firstLine(stderr) : undefined;
  const why = own === undefined ? `a hook refused it (git exited with ${exitCode})` : own;
  const files =
    edited.length === 0
      ? "What was staged is staged as before."
      : `What was staged is staged as before; the hook changed ${edited.join(", ")}: check the changes, stage them and try again.`;
  return new CommitRefused(`Nothing was committed: ${why.replace(/[.:]$/, "")}. ${files}`, output, edited);
}

/** Files that differ from the index, each with its time and size, which show whether it was written again. */
async function editedFiles(git: CommitGit, { top }: Repository): Promise<Map<string, string>> {
  const { stdout } = await git.ask(["diff", "--no-ext-diff", "--name-only", "--no-relative", "-z"]);
  const paths = stdout.toString("utf8").split("\0");
  return new Map(paths.filter((path) => path !== "").map((path) => [path, fingerprintOf(join(top, path))]));
}

function fingerprintOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.mtimeNs} ${found.size}` : "gone";
}

async function diffTrees(git: CommitGit, from: string, to: string): Promise<Map<string, Entry | undefined>> {
  const raw = await git.must(["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", from, to]);
  const fields = raw.toString("utf8").split("\0");
  const changed = new Map<string, Entry | undefined>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, mode = "", , oid = ""] = (fields[i] ?? "").slice(1).split(" ");
    changed.set(fields[i + 1] ?? "", mode === "000000" ? undefined : { mode, oid });
  }
  return changed;
}

type PlannedEntries = CommitPlan["commits"][number]["entries"];

const contentsIn = (entries: PlannedEntries): Contents =>
  new Map(
    entries.map(({ path, mode, oid }) => [path, mode === undefined || oid === undefined ? undefined : { mode, oid }]),
  );

export const entriesOf = (contents: Contents): PlannedEntries =>
  [...contents].map(([path, entry]) => ({ path, ...entry }));

/** If a hook committed other content than planned, the following commits and the index keep that content. */
async function applyHookChanges(
  git: CommitGit,
  repository: Repository,
  plan: CommitPlan,
  { id, changedByHook }: MadeCommit,
): Promise<CommitPlan> {
  const done = plan.made.length;
  if (changedByHook.length === 0 || done === plan.commits.length) return plan;
  const { tree, entries } = plan.commits[done - 1]!;
  const planned = contentsIn(entries);
  const changed = await diffTrees(git, tree, `${id}^{tree}`);
  const later = plan.commits.slice(done).map((commit) => new Map(contentsIn(commit.entries)));
  for (const [path, entry] of changed)
    for (const contents of later) {
      if (!isSame(contents.get(path), planned.get(path)))
        throw new CommitRefused(
          `Nothing was committed: a hook changed ${path}, which a later commit changes too. Commit without --split, or leave hooks out with --no-verify.`,
          "",
          [],
        );
      contents.set(path, entry);
    }
  // The index gets the content too, as when git commits from the index itself.
  await writeTreeWith(git, repository.index, changed);
  const commits = [...plan.commits.slice(0, done)];
  for (const [i, contents] of later.entries()) {
    const copy = join(folderOf(repository), "index-next");
    copyIndex(repository.index, copy);
    commits.push({
      ...plan.commits[done + i]!,
      entries: entriesOf(contents),
      tree: await writeTreeWith(git, copy, contents),
    });
  }
  return { ...plan, commits };
}

const isSame = (a: Entry | undefined, b: Entry | undefined): boolean => a?.mode === b?.mode && a?.oid === b?.oid;

/** Saves the index before commits are made. */
export const keepIndex = (repository: Repository): void => copyIndex(repository.index, indexBefore(repository));
