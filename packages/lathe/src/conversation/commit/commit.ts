// From a staged change to commits: a proposal, the user's answer, and the commits. The host shows the proposal and asks
// the user.

import type { Redactor } from "@lathe/agent/policy";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";
import type { HoldsKeys } from "../key-files.ts";
import type { CommitModel } from "./commit-model.ts";
import type { CommitGit } from "./git.ts";
import { entriesOf, keepIndex, type MadeCommit, makeCommits } from "./make-commits.ts";
import { changeLine, openForCommit, type Prepared, type Proposal, prepare, propose, unstagedCount } from "./propose.ts";
import type { Repository } from "./repository.ts";
import { copyIndex, installIndex, isSameIndex } from "./scratch-index.ts";
import { secretLines } from "./secrets.ts";
import { contentsOf, writeTreeWith } from "./trees.ts";
import { type CommitPlan, forgetPlan, readUnfinishedPlan, undoPlan, unfinishedLine } from "./unfinished-plan.ts";

export interface CommitOptions {
  readonly all: boolean;
  readonly split: boolean;
  /** Accepts the first proposal. */
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly noVerify: boolean;
  /** What to do with the unfinished commits of a process that was killed. */
  readonly unfinished?: "continue" | "abort" | undefined;
  readonly context?: string | undefined;
}

export type Answer =
  | { readonly kind: "accept" | "regenerate" | "split" | "join" | "cancel" }
  | { readonly kind: "edit"; readonly messages: readonly string[] };

export interface CommitHost {
  /** Prints a line that is not part of the result. */
  tell(line: string): void;
  warn(line: string): void;
  /** Prints what git and its hooks print. */
  output(text: string): void;
  /** Wraps long work, so that the host can let the user interrupt it. */
  during?<T>(work: () => Promise<T>): Promise<T>;
  show(prepared: Prepared, proposal: Proposal): void;
  /** Asks the user about the proposal. Absent: there is no user to ask. */
  decide?(prepared: Prepared, proposal: Proposal): Promise<Answer>;
  /** Asks whether to stage all changed files, when none are staged. Absent: there is no user to ask. */
  stageAll?(files: number): Promise<boolean>;
}

export interface CommitWork {
  readonly git: CommitGit;
  readonly wishes: CommitOptions;
  readonly host: CommitHost;
  readonly redactor: Redactor;
  /** Files of which the model gets only the names. */
  readonly holdsKeys: HoldsKeys;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model: () => Promise<CommitModel>;
}

export interface CommitResult {
  /** `proposed`: there was no user to accept the proposal. */
  readonly status: "committed" | "proposed" | "nothing" | "cancelled" | "taken_back";
  readonly prepared?: Prepared;
  readonly proposal?: Proposal;
  readonly made: readonly MadeCommit[];
  readonly repository: Repository;
}

export async function commit(work: CommitWork): Promise<CommitResult> {
  const { git, wishes } = work;
  const repository = await openForCommit(git);
  const left = await readUnfinishedPlan(git, repository);
  if (wishes.unfinished !== undefined) return settleUnfinished(work, repository, left, wishes.unfinished);
  if (left) throw new CliError(EXIT.failed, unfinishedLine(left));
  try {
    return await commitFrom(work, repository);
  } finally {
    // If undoing failed, the plan stays: it says how to undo it.
    if (!(await readUnfinishedPlan(git.withoutInterrupt(), repository).catch(() => true))) forgetPlan(repository);
  }
}

async function commitFrom(work: CommitWork, repository: Repository): Promise<CommitResult> {
  const { git, wishes, host, redactor } = work;
  let { all } = wishes;
  const prepareChange = (): Promise<Prepared> => prepare(git, repository, { all, redactor, tell: host.tell });
  let prepared = await prepareChange();
  if (prepared.change.files.length === 0 && !all) {
    const unstaged = await unstagedCount(git);
    if (unstaged > 0 && (await host.stageAll?.(unstaged))) {
      all = true;
      prepared = await prepareChange();
    } else if (unstaged > 0) {
      host.tell(
        `Nothing is staged. Stage what to commit with git add, or take ${countOf(unstaged, "changed file")} with --all.`,
      );
      return { status: "nothing", made: [], repository };
    }
  }
  if (prepared.change.files.length === 0) {
    host.tell("There is nothing to commit.");
    return { status: "nothing", made: [], repository };
  }
  for (const line of secretLines(prepared.secrets)) host.warn(line);
  const proposal = await settleProposal(work, prepared);
  const { status } = proposal;
  if (status !== "accepted") return { status, proposal: proposal.proposal, prepared, made: [], repository };
  const made = await during(host, () => makeProposedCommits(work, prepared, proposal.proposal));
  return { status: "committed", prepared, proposal: proposal.proposal, made, repository };
}

const during = <T>(host: CommitHost, work: () => Promise<T>): Promise<T> => host.during?.(work) ?? work();

interface Settled {
  readonly status: "accepted" | "proposed" | "cancelled";
  readonly proposal: Proposal;
}

async function settleProposal(work: CommitWork, prepared: Prepared): Promise<Settled> {
  const { git, wishes, host, redactor, holdsKeys, env, model } = work;
  const not: Proposal[] = [];
  let { split } = wishes;
  const next = (): Promise<Proposal> => {
    if (host.decide) host.tell(`Writing a message for ${changeLine(prepared.change)}…`);
    return during(host, () =>
      propose({
        prepared,
        redactor,
        holdsKeys,
        env,
        split,
        not,
        model,
        context: wishes.context,
        tell: host.tell,
        signal: git.signal,
      }),
    );
  };
  let proposal = await next();
  for (;;) {
    if (wishes.dryRun) return { status: "proposed", proposal };
    if (wishes.yes) return { status: "accepted", proposal };
    host.show(prepared, proposal);
    if (!host.decide) return { status: "proposed", proposal };
    const answer = await host.decide(prepared, proposal);
    if (answer.kind === "accept") return { status: "accepted", proposal };
    if (answer.kind === "cancel") return { status: "cancelled", proposal };
    if (answer.kind === "edit")
      proposal = {
        ...proposal,
        commits: proposal.commits.map((one, i) => ({ ...one, message: answer.messages[i] ?? one.message })),
      };
    else {
      if (answer.kind === "regenerate") not.push(proposal);
      else {
        split = answer.kind === "split";
        not.length = 0;
      }
      proposal = await next();
    }
  }
}

async function makeProposedCommits(work: CommitWork, prepared: Prepared, { commits }: Proposal): Promise<MadeCommit[]> {
  const { git, wishes, host } = work;
  const { repository, index, indexAtStart, change, style } = prepared;
  if (
    !isSameIndex(repository.index, indexAtStart) &&
    (await treeOf(git, repository.index)) !== (await treeOf(git, indexAtStart))
  )
    throw new CliError(EXIT.failed, "The staged changes have changed meanwhile. Nothing was committed; try again.");
  const states = await contentsOf(
    git,
    change,
    commits.map(({ parts }) => parts),
  );
  const planned: CommitPlan["commits"][number][] = [];
  // Writing trees drops git's cached file times from an index, so this uses a second copy.
  const scratch = `${index}-plan`;
  copyIndex(index, scratch);
  for (const [i, { message }] of commits.entries()) {
    const tree = await writeTreeWith(git, scratch, states[i]!);
    if (tree === planned.at(-1)?.tree)
      throw new CliError(
        EXIT.failed,
        `The commit "${message.split("\n")[0]}" would change nothing. Nothing was committed.`,
      );
    planned.push({ message, tree, entries: entriesOf(states[i]!) });
  }
  if (planned.at(-1)?.tree !== change.tree)
    throw new CliError(
      EXIT.internal,
      "The commits would not add up to what is staged. Nothing was committed; please report it.",
    );
  const plan: CommitPlan = {
    version: 1,
    head: repository.head ?? "",
    noVerify: wishes.noVerify,
    signOff: style.signsOff,
    commits: planned,
    made: [],
  };
  keepIndex(repository);
  // With --all, the proposed index holds everything; otherwise it equals the staged index, which stays untouched.
  if (change.tree !== (await treeOf(git, repository.index))) installIndex(repository, index);
  return makeCommits({ git, repository, onOutput: host.output }, plan);
}

/** `index` is a copy: git would write into the index itself. */
const treeOf = async (git: CommitGit, index: string): Promise<string> =>
  (await git.must(["write-tree"], { index })).toString("utf8").trim();

async function settleUnfinished(
  { git, host }: CommitWork,
  repository: Repository,
  left: CommitPlan | undefined,
  how: "continue" | "abort",
): Promise<CommitResult> {
  if (!left) throw usageError(`There is no lathe commit to ${how}: none was interrupted here.`);
  if (how === "abort") {
    await undoPlan(git, repository, left);
    host.tell(`Undid ${countOf(left.made.length, "commit")}; everything is staged as before.`);
    return { status: "taken_back", made: [], repository };
  }
  const made = await during(host, () => makeCommits({ git, repository, onOutput: host.output }, left));
  return { status: "committed", made, repository };
}
