// The environment block of the first user turn: where the work happens. It holds what would go stale in a system prompt (date,
// directory, git state), so it is taken once, at the start, and never changed.

import type { ExecutionEnvironment } from "../env/types.ts";
import { isoTime } from "../journal/timestamp.ts";
import { currentBranch } from "./git-files.ts";

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
  readonly git?: GitSnapshot;
}

/** What the environment cannot tell. */
export interface Known {
  readonly now: number;
  readonly model?: string;
  readonly knowledgeCutoff?: string;
  readonly gitTimeoutMs?: number;
}

interface GitSnapshot {
  readonly modified: number;
  readonly untracked: number;
  /** Newest first. */
  readonly recentCommits: readonly string[];
}

const RECENT_COMMITS = 10;
const LONGEST_SUBJECT = 200;
const GIT_TIMEOUT_MS = 2_000;

/** `root`: folder of the repository, when there is one. */
export async function collectFacts(
  env: ExecutionEnvironment,
  about: Known,
  root: string | undefined,
): Promise<EnvironmentFacts> {
  const [branch, git] = root
    ? await Promise.all([currentBranch(env, root), gitSnapshot(env, about.gitTimeoutMs ?? GIT_TIMEOUT_MS)])
    : [];
  return {
    workingDirectory: env.workingDirectory(),
    isGitRepository: root !== undefined,
    ...(branch === undefined ? {} : { gitBranch: branch }),
    platform: env.platform(),
    osVersion: env.osVersion(),
    today: isoTime(about.now).slice(0, 10),
    ...(about.model === undefined ? {} : { model: about.model }),
    ...(about.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: about.knowledgeCutoff }),
    ...(git ? { git } : {}),
  };
}

/** A stranger's repository must not run its monitor, hooks or signature checks; submodules have configurations of their own. */
const GIT =
  "git --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null -c log.showSignature=false -c core.pager=cat";

/**
 * Settings of a repository that make git start programs, or fetch what is missing by starting them, and that `-c` cannot undo.
 * Git itself is asked which count: which file it reads, and what that file means, is not for us to guess.
 */
const NAMES_PROGRAMS = ["local", "worktree"]
  .flatMap((scope) => ["filter.", "*promisor", "*partialclone"].map((name) => `*'${scope}\t'${name}*`))
  .join("|");

/** One command for all, since starting a process is most of the cost. */
const SNAPSHOT =
  `settings=$(${GIT} config --list --show-scope --name-only) || exit; case $settings in ${NAMES_PROGRAMS}) exit 1;; esac; ` +
  `${GIT} status --porcelain=v1 --ignore-submodules=all && echo '---' && ` +
  `{ ${GIT} log -n ${RECENT_COMMITS} --format=%s 2>/dev/null || true; }`;

/** Undefined when git is missing or takes too long, or would start programs that the repository names. */
async function gitSnapshot(env: ExecutionEnvironment, timeoutMs: number): Promise<GitSnapshot | undefined> {
  const result = await env.execCommand(SNAPSHOT, timeoutMs).catch(() => undefined);
  if (result?.exitCode !== 0 || result.timedOut) return undefined;
  const [status = "", log = ""] = result.stdout.split(/^---$/m);
  const files = status.split("\n").filter((line) => line !== "");
  const untracked = files.filter((line) => line.startsWith("??")).length;
  return {
    untracked,
    modified: files.length - untracked,
    recentCommits: log
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line)),
  };
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
