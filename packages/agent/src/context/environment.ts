// The environment block of the first user turn: where the work happens. It holds what would go stale in a system prompt (date,
// directory, git state), so it is taken once, at the start, and never changed.

import type { ExecutionEnvironment } from "../env/types.ts";
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
    today: new Date(about.now).toISOString().slice(0, 10),
    ...(about.model === undefined ? {} : { model: about.model }),
    ...(about.knowledgeCutoff === undefined ? {} : { knowledgeCutoff: about.knowledgeCutoff }),
    ...(git ? { git } : {}),
  };
}

/** Undefined when git is missing or takes too long. */
async function gitSnapshot(env: ExecutionEnvironment, timeoutMs: number): Promise<GitSnapshot | undefined> {
  // One command for both, since starting a process is most of the cost.
  const command =
    "git --no-optional-locks status --porcelain=v1 && echo '---' && " +
    `{ git log -n ${RECENT_COMMITS} --format=%s 2>/dev/null || true; }`;
  const result = await env.execCommand(command, timeoutMs).catch(() => undefined);
  if (result?.exitCode !== 0 || result.timedOut) return undefined;
  const [status = "", log = ""] = result.stdout.split(/^---$/m);
  const files = status.split("\n").filter((line) => line !== "");
  const untracked = files.filter((line) => line.startsWith("??")).length;
  return {
    untracked,
    modified: files.length - untracked,
    recentCommits: log.split("\n").filter((line) => line !== ""),
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
