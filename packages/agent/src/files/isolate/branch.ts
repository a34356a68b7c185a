// Lands deltas as branches: one commit on top of HEAD per delta, named `lathe/task/<id>`. Files, index and HEAD stay
// unchanged.

import { realpathSync } from "node:fs";
import { INERT_GIT } from "../../world/env/inert-git.ts";
import { Processes } from "../../world/process/processes.ts";
import type { GitStore } from "./git-store.ts";
import { commit, mergeChanges } from "./merge.ts";
import { repositoryAround, repositoryAt } from "./repository.ts";
import type { DeltaPart, LandingConflict, ViewHost } from "./types.ts";

const BRANCH_TIMEOUT_MS = 60_000;

/** The name of the branch for this id if the project's repository has one already. */
export async function takenBranch(root: string, id: string, host: ViewHost): Promise<string | undefined> {
  const repository = repositoryAround(realpathSync(root));
  if (!repository) return undefined;
  const name = branchName(id);
  const processes = new Processes({ clock: host.clock });
  try {
    const { exitCode } = await processes.run({
      argv: ["git", ...INERT_GIT, "--git-dir", repository.gitDir, "rev-parse", "-q", "--verify", `refs/heads/${name}`],
      cwd: "/",
      env: { PATH: host.baseEnv?.["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
      timeoutMs: BRANCH_TIMEOUT_MS,
      internal: true,
    });
    return exitCode === 0 ? name : undefined;
  } finally {
    await processes.cleanup();
  }
}

const branchName = (id: string): string => `lathe/task/${id}`;

export interface BranchSite {
  readonly top: string;
  readonly git: GitStore;
  readonly changes: readonly { readonly id: string; readonly part: DeltaPart }[];
}

/** A prepared branch. */
export interface ReadyBranch {
  readonly site: BranchSite;
  readonly id: string;
  readonly gitDir: string;
  readonly name: string;
  readonly tree: string;
  readonly commit: string;
  /** The commit below it. */
  readonly head: string;
}

/** Everything is prepared before the first branch is created, so that either all are created or none. */
export async function branchPlan(
  sites: readonly BranchSite[],
  message: string | undefined,
): Promise<{ readonly ready: readonly ReadyBranch[]; readonly conflicts: readonly LandingConflict[] }> {
  const conflicts: LandingConflict[] = [];
  const ready: ReadyBranch[] = [];
  for (const site of sites) {
    const repository = repositoryAt(site.top);
    const head = repository && (await headOf(site.git, repository.gitDir));
    if (!repository || head === undefined) {
      conflicts.push(inTheWay(site.top, `${site.top} has no commit to put a branch on. Land as a patch.`));
      continue;
    }
    for (const { id, part } of site.changes) {
      const name = branchName(id);
      if (await exists(site.git, repository.gitDir, name)) {
        conflicts.push({ ...inTheWay(site.top, `There is already a branch ${name}. Rename or delete it.`), id });
        continue;
      }
      const headTree = (await site.git.run(["rev-parse", `${head}^{tree}`])).toString("utf8").trim();
      const { tree, conflicts: found } = await mergeChanges(site.git, headTree, [
        { id, base: part.base, tree: part.tree },
      ]);
      conflicts.push(...found.map((conflict) => ({ ...conflict, path: `${site.top}/${conflict.path}` })));
      const made = await commit(site.git, tree, [head], message ?? `Changes of ${id}`);
      ready.push({ site, id, gitDir: repository.gitDir, name, tree, commit: made, head });
    }
  }
  return { ready, conflicts };
}

const inTheWay = (path: string, message: string): LandingConflict => ({
  path,
  kind: "structure",
  message,
  regions: [],
});

async function headOf(git: GitStore, gitDir: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.ask(["--git-dir", gitDir, "rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  return exitCode === 0 ? stdout.toString("utf8").trim() : undefined;
}

async function exists(git: GitStore, gitDir: string, name: string): Promise<boolean> {
  return (await git.ask(["--git-dir", gitDir, "rev-parse", "-q", "--verify", `refs/heads/${name}`])).exitCode === 0;
}

/**
 * Writes objects and a single ref. Nothing is fetched, because the repository's own configuration could redirect that to
 * a program; no hook runs, and no user configuration applies.
 */
export async function makeBranch({ site, gitDir, name, commit: made, head }: ReadyBranch): Promise<void> {
  const wanted = Buffer.from(`${made}\n^${head}\n`);
  const pack = await site.git.run(["pack-objects", "--revs", "--stdout", "-q"], { stdin: wanted });
  const there = ["--git-dir", gitDir, ...INERT_GIT];
  await site.git.run([...there, "unpack-objects", "-q"], { stdin: pack });
  // The last argument: the branch must not exist yet.
  await site.git.run([...there, "update-ref", `refs/heads/${name}`, made, ""]);
}
