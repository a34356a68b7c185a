// Prepares a commit: reads the staged change, looks for secrets, and proposes one message or a plan of several commits.

import { join } from "node:path";
import type { Redactor } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";
import { type HoldsKeys, notShownLine } from "../key-files.ts";
import { partsOf, readStagedChange, type StagedChange, type StagedFile } from "./change.ts";
import type { CommitModel } from "./commit-model.ts";
import { type CommitGit, firstLine } from "./git.ts";
import { plainMessage } from "./plain-message.ts";
import { openRepository, type Repository, refuseUnusualStates } from "./repository.ts";
import { copyIndex, makeFolder } from "./scratch-index.ts";
import { type AddedSecret, addedSecrets } from "./secrets.ts";
import { type PlannedCommit, planCommits } from "./split-plan.ts";
import { type MessageStyle, styleOf } from "./style.ts";
import { writeMessage } from "./write-message.ts";

export interface Prepared {
  readonly repository: Repository;
  /** Copy of the index that the proposal is about; with --all it holds every change. */
  readonly index: string;
  /** Copy of the index before anything was added. */
  readonly indexAtStart: string;
  readonly change: StagedChange;
  readonly style: MessageStyle;
  readonly secrets: readonly AddedSecret[];
}

export interface Proposal {
  readonly commits: readonly PlannedCommit[];
  readonly source: "model" | "plain";
}

/** Counts files that are not staged. */
export async function unstagedCount(git: CommitGit): Promise<number> {
  const status = (await git.must(["status", "--porcelain", "-z", "--untracked-files=all"])).toString("utf8");
  return status.split("\0").filter((row) => row !== "").length;
}

/** Throws a one-line error if no commit can be made here now. */
export async function openForCommit(git: CommitGit): Promise<Repository> {
  const repository = await openRepository(git);
  await refuseUnusualStates(git, repository);
  return repository;
}

/** Reads what is staged, or everything with `all`, without touching the repository's own index. */
export async function prepare(
  git: CommitGit,
  repository: Repository,
  {
    all,
    redactor,
    tell,
  }: { readonly all: boolean; readonly redactor: Redactor; readonly tell: (line: string) => void },
): Promise<Prepared> {
  const folder = makeFolder(repository);
  const [index, indexAtStart] = [join(folder, "index-proposed"), join(folder, "index-at-start")];
  copyIndex(repository.index, index);
  copyIndex(repository.index, indexAtStart);
  if (all) {
    const added = await git.act(["-c", "core.fsmonitor=false", "add", "--all", "--", "."], { index });
    if (added.exitCode !== 0)
      throw new CliError(EXIT.failed, `git add --all failed: ${firstLine(added.stderr)}. Nothing was changed.`);
    for (const line of added.stderr.split("\n")) if (line.startsWith("warning: ")) tell(line);
  }
  const change = await readStagedChange(git, index);
  const secrets = addedSecrets(change.files, redactor);
  return { repository, index, indexAtStart, change, secrets, style: await styleOf(git, repository) };
}

export interface Proposing {
  readonly prepared: Prepared;
  readonly redactor: Redactor;
  readonly holdsKeys: HoldsKeys;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly context: string | undefined;
  readonly split: boolean;
  /** Proposals that the user rejected. */
  readonly not: readonly Proposal[];
  readonly tell: (line: string) => void;
  /** Throws when there is no model. */
  readonly model: () => Promise<CommitModel>;
  readonly signal: AbortSignal;
}

const isTrue = (value: string | undefined): boolean => /^true$/i.test(value ?? "");

export async function propose(proposing: Proposing): Promise<Proposal> {
  const { prepared, redactor, env, context, split, not, tell } = proposing;
  const { files } = prepared.change;
  const all = partsOf(files).map(({ number }) => number);
  const plain = (): Proposal => ({
    source: "plain",
    commits: [{ message: redactor.text(plainMessage(files, prepared.style)), parts: all }],
  });
  if (isTrue(env["LATHE_COMMIT_TEST_FALLBACK"])) return plain();
  const { top } = prepared.repository;
  const holdsKeys = ({ path, from = path }: StagedFile): boolean =>
    [path, from].some((one) => proposing.holdsKeys(join(top, one)));
  const kept = notShownLine(files.filter(holdsKeys).map(({ path }) => path));
  // It was said with the first proposal.
  if (kept !== undefined && not.length === 0) tell(kept);
  try {
    const writing = {
      model: await proposing.model(),
      style: prepared.style,
      redactor,
      holdsKeys,
      context,
      mapReduce: !/^false$/i.test(env["LATHE_COMMIT_MAP_REDUCE"] ?? ""),
      tell,
    };
    const unwanted = not.map(describeProposal);
    const planned = split && all.length > 1 ? await planCommits(writing, files, unwanted) : undefined;
    if (split && all.length === 1) tell("The change has only one part: making one commit.");
    const commits = planned ?? [{ message: await writeMessage(writing, files, unwanted), parts: all }];
    if (commits.some(({ message }) => message.trim() === "")) throw new Error("the model wrote nothing");
    return { source: "model", commits };
  } catch (error) {
    proposing.signal.throwIfAborted();
    if (!isMissingModel(error)) throw error;
    if (env["LATHE_DEBUG"] !== undefined && error instanceof Error) tell(error.stack ?? error.message);
    const why = messageOf(error).split("\n")[0]?.replace(/\.$/, "");
    if (isTrue(env["LATHE_COMMIT_NO_FALLBACK"]))
      throw new CliError(EXIT.provider, `No message was written: ${why}. Nothing was committed.`, { cause: error });
    tell(`No model wrote this message: ${why}.`);
    return plain();
  }
}

/** Errors that the user must fix are thrown; if the provider fails, the plain message replaces the model's. */
function isMissingModel(error: unknown): boolean {
  return error instanceof CliError ? error.exitCode === EXIT.provider : true;
}

const describeProposal = ({ commits }: Proposal): string =>
  commits.map(({ message, parts }) => (commits.length === 1 ? message : `${parts.join(",")}: ${message}`)).join("\n");

/** Such as `3 files, +10 -2`. */
export function changeLine({ files }: StagedChange): string {
  const sum = (key: "added" | "removed"): number => files.reduce((all, file) => all + file[key], 0);
  return `${countOf(files.length, "file")}, +${sum("added")} -${sum("removed")}`;
}
