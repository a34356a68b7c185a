// Lands deltas as branches: one commit on top of HEAD per delta, named `lathe/task/<id>`. Files, index and HEAD stay
// unchanged.

import { INERT_GIT } from "../../world/env/inert-git.ts";
import type { GitStore } from "./git-store.ts";
import { commit, mergeChanges } from "./merge.ts";
import { repositoryAt } from "./repository.ts";
import type { DeltaPart, LandingConflict } from "./types.ts";

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
      const name = `lathe/task/${id}`;
      if (await exists(site.git, repository.gitDir, name)) {
        conflicts.push({ ...inTheWay(site.top, `There is a branch ${name} already. Rename or delete it.`), id });
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
