// The environment block of the first user message: where the work happens. It contains what would go stale in a system
// prompt (date, directory, git state), so it is made once, at the start, and never changed.

import type { SessionDeps } from "../base/time/deadline.ts";
import { isoTime } from "../record/journal/timestamp.ts";
import { INERT_GIT_COMMAND as GIT } from "../world/env/inert-git.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import { currentBranch, repositoryRoot } from "./git-files.ts";

export interface EnvironmentFacts {
  readonly workingDirectory: string;
  readonly isGitRepository: boolean;
  readonly gitBranch?: string;
  readonly platform: string;
  readonly osVersion: string;
  /** YYYY-MM-DD. */
  readonly today: string;
  readonly model?: string;
  readonly knowledgeCutoff?: string;
  readonly terminal?: string;
  readonly desktop?: string;
  readonly shell?: string;
  readonly git?: GitSnapshot;
}

/** Facts that the environment itself does not know. */
export interface HostFacts {
  readonly now: number;
  readonly model?: string | undefined;
  readonly knowledgeCutoff?: string | undefined;
  /** The user's terminal, if the host knows it. */
  readonly terminal?: string | undefined;
  readonly desktop?: string | undefined;
  /** The user's shell; the model's commands run in a shell of their own. */
  readonly shell?: string | undefined;
  readonly gitPatience?: GitPatience | undefined;
  /** Git's answer, if it was asked earlier; asked now when absent. */
  readonly git?: Promise<AskedGit> | undefined;
}

/** A running question to git. */
export interface AskedGit {
  /** Folder of the repository, if there is one. */
  readonly root: string | undefined;
  readonly answer: Promise<GitFacts>;
}

/** The branch and state of a repository, as far as git has answered. */
export interface GitFacts {
  readonly branch?: string | undefined;
  /** Undefined if git is missing or takes too long, or would start programs that the repository names. */
  readonly snapshot?: GitSnapshot | undefined;
}

/** How many files differ from the last commit, and the latest commits. */
export interface GitSnapshot {
  readonly modified: number;
  readonly untracked: number;
  /** Newest first. */
  readonly recentCommits: readonly string[];
}

const RECENT_COMMITS = 10;
const LONGEST_SUBJECT = 200;
const GIT_TIMEOUT_MS = 2_000;

/** How long git may run, and how long we wait for its answer. */
export interface GitPatience {
  /** Git is killed after this. */
  readonly timeoutMs?: number | undefined;
  /** After this, we go on without git's answer. Killing git takes longer than a short wait, so it is left running. */
  readonly wait?: { readonly ms: number; readonly deps: Pick<SessionDeps, "setTimer"> } | undefined;
}

/** Starts git without waiting for it, so that a host can set up the session in the meantime. */
export async function askGit(env: ExecutionEnvironment, patience: GitPatience = {}): Promise<AskedGit> {
  const root = await repositoryRoot(env, env.resolve(env.workingDirectory()));
  return { root, answer: root === undefined ? Promise.resolve({}) : gitFacts(env, root, patience) };
}

async function gitFacts(
  env: ExecutionEnvironment,
  root: string,
  { timeoutMs = GIT_TIMEOUT_MS, wait }: GitPatience,
): Promise<GitFacts> {
  const snapshot = gitSnapshot(env, timeoutMs);
  const seen = await (wait ? within(wait, snapshot) : snapshot);
  // Git has usually named the branch; otherwise we read it from git's files.
  return { ...seen, branch: seen?.branch ?? (await currentBranch(env, root)) };
}

/** Undefined if the work takes longer. */
function within<T>({ ms, deps }: NonNullable<GitPatience["wait"]>, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = deps.setTimer(() => afterWaitingOutput(() => resolve(undefined)), ms);
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/**
 * Timers run before pipes are read, and startup keeps us busy for longer than git needs: an answer that already waits
 * in the pipe counts (decision 0386). The event loop reads it in one turn and closes the pipe at the end of that turn.
 */
function afterWaitingOutput(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

export async function collectFacts(
  env: ExecutionEnvironment,
  about: HostFacts,
  git: AskedGit,
): Promise<EnvironmentFacts> {
  const { branch, snapshot } = await git.answer;
  return {
    workingDirectory: env.workingDirectory(),
    isGitRepository: git.root !== undefined,
    ...(branch === undefined ? {} : { gitBranch: branch }),
    platform: env.platform(),
    osVersion: env.osVersion(),
    today: isoTime(about.now).slice(0, 10),
    ...(about.model === undefined ? {} : { model: about.model }),
    ...(about.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: about.knowledgeCutoff }),
    ...(about.terminal === undefined ? {} : { terminal: about.terminal }),
    ...(about.desktop === undefined ? {} : { desktop: about.desktop }),
    ...(about.shell === undefined ? {} : { shell: about.shell }),
    ...(snapshot ? { git: snapshot } : {}),
  };
}

/**
 * Settings of a repository that make git start programs, or fetch missing objects by starting them, and that `-c`
 * cannot override. We ask git itself which settings apply instead of guessing which files it reads and what they mean.
 */
const NAMES_PROGRAMS = ["local", "worktree"]
  .flatMap((scope) => ["filter.", "*promisor", "*partialclone"].map((name) => `*'${scope}\t'${name}*`))
  .join("|");

/**
 * One command for everything, because starting a process is most of the cost. The log runs in parallel with the status,
 * and its output comes first.
 */
const SNAPSHOT =
  `settings=$(${GIT} config --list --show-scope --name-only) || exit; case $settings in ${NAMES_PROGRAMS}) exit 1;; esac; ` +
  `${GIT} log -n ${RECENT_COMMITS} --format=%s 2>/dev/null & ` +
  `status=$(${GIT} status --porcelain=v1 --branch --no-ahead-behind --ignore-submodules=all) || exit; ` +
  `wait; echo '---'; printf '%s\\n' "$status"`;

async function gitSnapshot(env: ExecutionEnvironment, timeoutMs: number): Promise<GitFacts | undefined> {
  const result = await env.execCommand(SNAPSHOT, timeoutMs, { internal: true }).catch(() => undefined);
  if (result?.exitCode !== 0 || result.timedOut) return undefined;
  const lines = result.stdout.split("\n").filter((line) => line !== "");
  // A commit subject may also be `---`; no line of a status is.
  const end = lines.lastIndexOf("---");
  const [head = "", ...files] = lines.slice(end + 1);
  const untracked = files.filter((line) => line.startsWith("??")).length;
  const snapshot = {
    untracked,
    modified: files.length - untracked,
    recentCommits: lines
      .slice(0, end)
      .map((line) => (line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line)),
  };
  return { branch: branchIn(head), snapshot };
}

/** Reads the branch from `## main`, `## main...origin/main` or `## No commits yet on main`; `currentBranch` handles everything else. */
function branchIn(head: string): string | undefined {
  return /^## (?:No commits yet on )?([^\s.]+(?:\.[^\s.]+)*)(?:\.\.\.\S+(?: \[\w+\])?)?$/.exec(head)?.[1];
}

export function environmentBlock(facts: EnvironmentFacts): string {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Working directory", facts.workingDirectory],
    ["Is git repository", String(facts.isGitRepository)],
    ["Git branch", facts.gitBranch],
    ["Platform", facts.platform],
    ["OS version", facts.osVersion],
    ["Today's date", facts.today],
    ["Model", facts.model],
    ["Knowledge cutoff", facts.knowledgeCutoff],
    ["Terminal", facts.terminal],
    ["Desktop", facts.desktop],
    ["User's shell", facts.shell],
  ];
  const lines = rows
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  return ["<environment>", ...lines, ...(facts.git ? gitLines(facts.git) : []), "</environment>"].join("\n");
}

function gitLines(git: GitSnapshot): string[] {
  const lines = [`Modified files: ${git.modified}`, `Untracked files: ${git.untracked}`];
  if (git.recentCommits.length > 0)
    lines.push("Recent commits:", ...git.recentCommits.map((subject) => `  ${subject}`));
  return lines;
}
