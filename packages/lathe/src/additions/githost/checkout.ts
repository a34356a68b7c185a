// Pull requests as worktrees: each has a branch `pr-<n>` in a folder of its own below Lathe's home. Git's settings
// record where the branch is pushed to. The working folder is not touched.

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import { ToolFailure } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import { withFileLock } from "../../platform/home/json-file.ts";
import { CliError } from "../../platform/usage/exit.ts";
import type { Git, GitOptions, Remote } from "./git.ts";
import type { RepoRef } from "./hosts.ts";
import type { PullFacts } from "./pull-requests.ts";

/** Our keys, in addition to git's own `remote`, `merge` and `pushRemote`. */
export const PULL_KEYS = {
  headRef: "lathePrHeadRef",
  url: "lathePrUrl",
  isCrossRepository: "lathePrIsCrossRepository",
  maintainerCanModify: "lathePrMaintainerCanModify",
} as const;

const branchOf = (number: number): string => `pr-${number}`;

export interface CheckoutPlace {
  readonly git: Git;
  readonly env: ExecutionEnvironment;
  readonly repo: RepoRef;
  readonly remotes: readonly Remote[];
  /** The token that git sends to the host. */
  readonly token: GitOptions["token"];
  /** The folder for worktrees. */
  readonly base: string;
  /** The main worktree of the repository. */
  readonly root: string;
}

export interface Checkout {
  readonly pull: PullFacts;
  readonly branch: string;
  readonly path: string;
  readonly remote: string;
  readonly isReused: boolean;
}

/** The folder of the repository's main worktree, even when called in another one: they share settings and branches. */
export async function mainWorktree(git: Git): Promise<string> {
  const common = await git.text(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (common === undefined) throw new ToolFailure("This is not a git repository.");
  return basename(common) === ".git" ? dirname(common) : common;
}

/** The path depends only on the repository and the number, not on the worktree of the caller. */
export const worktreePath = (base: string, root: string, number: number): string =>
  join(base, `${basename(root)}-${createHash("sha256").update(root).digest("hex").slice(0, 10)}`, branchOf(number));

/**
 * Checks out pull requests one at a time, even across processes: worktrees share files that git does not lock long
 * enough.
 */
export async function checkOutAll(
  pulls: readonly PullFacts[],
  place: CheckoutPlace,
  force: boolean,
): Promise<readonly Checkout[]> {
  const lock = dirname(worktreePath(place.base, place.root, 0));
  try {
    return await withFileLock(lock, async () => {
      const done: Checkout[] = [];
      for (const pull of pulls) done.push(await checkOut(pull, place, force));
      return done;
    });
  } catch (error) {
    throw error instanceof CliError ? new ToolFailure(messageOf(error)) : error;
  }
}

async function checkOut(pull: PullFacts, place: CheckoutPlace, force: boolean): Promise<Checkout> {
  const { git, token, base, root } = place;
  const branch = branchOf(pull.number);
  const allowed: GitOptions = { isAllowed: true, token };
  const { remote, source } = await sourceOf(pull, place);
  const tracking = `refs/remotes/${remote}/${pull.headRepo === undefined ? branch : pull.headRef}`;
  await git.runOrFail(
    `Fetching pull request ${pull.number}`,
    ["fetch", "--no-tags", "--no-recurse-submodules", remote, `+${source}:${tracking}`],
    allowed,
  );
  const head = await git.runOrFail("Reading the fetched branch", ["rev-parse", "--verify", `${tracking}^{commit}`]);
  const there = await worktreeOf(git, branch);
  await setBranch(git, { branch, head, there, force });
  await recordSource(git, branch, { pull, remote, source });
  if (there !== undefined) return { pull, branch, path: there, remote, isReused: true };
  const path = worktreePath(base, root, pull.number);
  if (await place.env.stat(path))
    throw new ToolFailure(`${path} already exists and is not a worktree of ${branch}. Remove it first.`);
  // A worktree whose folder was deleted would block the branch.
  await git.runOrFail("Forgetting deleted worktrees", ["worktree", "prune"], { isAllowed: true });
  await git.runOrFail(`Checking out ${branch}`, ["worktree", "add", "--quiet", path, branch], allowed);
  return { pull, branch, path, remote, isReused: false };
}

interface BranchState {
  readonly branch: string;
  readonly head: string;
  /** The worktree that has the branch checked out. */
  readonly there: string | undefined;
  readonly force: boolean;
}

async function setBranch(git: Git, { branch, head, there, force }: BranchState): Promise<void> {
  const now = await git.text(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  if (now === head) return;
  if (now !== undefined && !force)
    throw new ToolFailure(
      `The branch ${branch} is at ${now.slice(0, 9)}, the pull request at ${head.slice(0, 9)}. Use \`force\` to reset the branch; commits that only it has are lost.`,
    );
  if (there === undefined) {
    await git.runOrFail(`Setting ${branch}`, ["branch", "--no-track", "--force", branch, head], { isAllowed: true });
    return;
  }
  // Git refuses to move a branch that is checked out, and uncommitted changes there are the user's.
  const changed = await git.text(["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"], {
    cwd: there,
  });
  if (changed !== undefined)
    throw new ToolFailure(`${there} has changes that are not committed. Commit or discard them first.`);
  await git.runOrFail(`Resetting ${branch}`, ["reset", "--quiet", "--hard", head], { cwd: there, isAllowed: true });
}

/** Where to fetch the commits: the branch itself, or the host's copy of it if the fork is gone. */
async function sourceOf(pull: PullFacts, place: CheckoutPlace): Promise<{ remote: string; source: string }> {
  const { repo, remotes, git } = place;
  const own = remotes.find((one) => one.repo?.host === repo.host && isSame(one.repo.path, repo.path));
  if (!own) throw new ToolFailure(`No remote of this repository is ${repo.host.name}/${repo.path}. Add one first.`);
  if (pull.headRepo === undefined) {
    const copies = repo.host.kind === "gitlab" ? "merge-requests" : "pull";
    return { remote: own.name, source: `refs/${copies}/${pull.number}/head` };
  }
  const source = `refs/heads/${pull.headRef}`;
  if (!pull.isCrossRepository) return { remote: own.name, source };
  const known = remotes.find((one) => one.repo?.host === repo.host && isSame(one.repo.path, pull.headRepo));
  if (known) return { remote: known.name, source };
  return { remote: await addFork(git, remotes, own, pull.headRepo), source };
}

const isSame = (path: string, other: string | undefined): boolean => path.toLowerCase() === other?.toLowerCase();

/** Adds the fork by the same route as the repository itself: over ssh, or with a token. */
async function addFork(git: Git, remotes: readonly Remote[], own: Remote, headRepo: string): Promise<string> {
  const url = forkUrl(own, headRepo);
  const taken = new Map((await freshRemotes(git, remotes)).map((one) => [one.name, one.url]));
  const wanted = `fork-${headRepo.split("/")[0]}`;
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (taken.get(name) === url) return name;
    if (taken.has(name)) continue;
    await git.runOrFail(`Adding the remote ${name}`, ["remote", "add", name, url], { isAllowed: true });
    return name;
  }
}

/** The remotes are read again, because another pull request of the same call may have added one. */
async function freshRemotes(git: Git, remotes: readonly Remote[]): Promise<readonly { name: string; url: string }[]> {
  const text = await git.text(["config", "--null", "--get-regexp", "^remote\\..*\\.url$"]);
  if (text === undefined) return remotes;
  return text.split("\0").flatMap((entry) => {
    const [, name, url] = /^remote\.(.*)\.url\n(.*)$/s.exec(entry) ?? [];
    return name === undefined ? [] : [{ name, url: url ?? "" }];
  });
}

function forkUrl({ url, repo }: Remote, headRepo: string): string {
  const at = url.toLowerCase().lastIndexOf((repo?.path ?? "").toLowerCase());
  return url.slice(0, at) + headRepo + url.slice(at + (repo?.path ?? "").length);
}

async function recordSource(
  git: Git,
  branch: string,
  { pull, remote, source }: { readonly pull: PullFacts; readonly remote: string; readonly source: string },
): Promise<void> {
  const isPushable = pull.headRepo !== undefined;
  const values: [string, string][] = [
    ["remote", remote],
    ["merge", source],
    ...(isPushable
      ? ([
          ["pushRemote", remote],
          [PULL_KEYS.headRef, pull.headRef],
        ] as [string, string][])
      : []),
    [PULL_KEYS.url, pull.url],
    [PULL_KEYS.isCrossRepository, String(pull.isCrossRepository)],
    [PULL_KEYS.maintainerCanModify, String(pull.maintainerCanModify)],
  ];
  for (const [key, value] of values)
    await git.runOrFail(`Recording where ${branch} belongs`, ["config", `branch.${branch}.${key}`, value], {
      isAllowed: true,
    });
}

async function worktreeOf(git: Git, branch: string): Promise<string | undefined> {
  const list = (await git.text(["worktree", "list", "--porcelain"])) ?? "";
  const entry = list.split("\n\n").find((one) => one.split("\n").includes(`branch refs/heads/${branch}`));
  return entry === undefined || /^prunable/m.test(entry) ? undefined : /^worktree (.*)$/m.exec(entry)?.[1];
}
