// LandingResult as branches: one commit on top of HEAD for each delta, named `lathe/task/<id>`. Files, index and HEAD stay as they are.

import type { GitStore } from "./git-store.ts";
import { commit, mergeChanges } from "./merge.ts";
import { repositoryAt } from "./repository.ts";
import type { Delta, DeltaPart, LandingConflict, LandingResult } from "./types.ts";

export interface BranchSite {
  readonly top: string;
  readonly git: GitStore;
  readonly changes: readonly { readonly id: string; readonly part: DeltaPart }[];
}

interface ReadyBranch {
  readonly site: BranchSite;
  readonly gitDir: string;
  readonly name: string;
  readonly commit: string;
}

/** All branches, or none: each is prepared before the first is made. */
export async function makeBranches(sites: readonly BranchSite[], deltas: readonly Delta[]): Promise<LandingResult> {
  if (deltas.length === 0 || sites.length === 0) return { kind: "nothing" };
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
      const merged = await mergeChanges(site.git, headTree, [{ id, base: part.base, tree: part.tree }]);
      conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, path: `${site.top}/${conflict.path}` })));
      const made = await commit(site.git, merged.tree, [head], `Changes of ${id}`);
      ready.push({ site, gitDir: repository.gitDir, name, commit: made });
    }
  }
  if (conflicts.length > 0) return { kind: "conflict", conflicts };
  for (const branch of ready) await makeBranch(branch);
  return { kind: "landed", files: [], branches: ready.map(({ name }) => name) };
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

/** Objects and the one ref; no hook runs, no configuration of the user's is used. */
async function makeBranch({ site, gitDir, name, commit: made }: ReadyBranch): Promise<void> {
  await site.git.run(["update-ref", `refs/heads/out/${name}`, made]);
  const refs = `refs/heads/out/${name}:refs/heads/${name}`;
  const quiet = ["-q", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--no-recurse-submodules"];
  await site.git.run(["--git-dir", gitDir, "-c", "core.hooksPath=/dev/null", "fetch", ...quiet, site.git.gitDir, refs]);
}
