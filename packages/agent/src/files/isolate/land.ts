// Applies what views have changed to the project: merged with its current state, checked in a view of the result, and
// written all or nothing. The user's index, HEAD, stash and branches are never touched.

import { join, relative } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import { Processes } from "../../world/process/processes.ts";
import { branchPlan, makeBranch } from "./branch.ts";
import { type GitStore, openGitStore } from "./git-store.ts";
import { type LandingStep, landingOwner, signOf } from "./landing-journal.ts";
import { changedSince, forbiddenSteps, stepsBetween, writeSteps } from "./landing-steps.ts";
import { mergeChanges } from "./merge.ts";
import { copyIndex } from "./on-disk.ts";
import { recoverStore } from "./recover.ts";
import { repositoryAt } from "./repository.ts";
import { takeTree } from "./tree.ts";
import type { Delta, DeltaPart, LandedFile, LandingConflict, LandingResult, ViewRequest } from "./types.ts";
import { claimFolder, removeFolder } from "./view-folder.ts";

/** What to land, and how. */
export interface LandRequest extends Pick<ViewRequest, "root" | "id" | "store" | "host" | "signal"> {
  /** Deltas of views that are still open. All of them land, or none. */
  readonly deltas: readonly Delta[];
  /** `patch` writes the files; `branch` leaves them alone and creates `lathe/task/<id>` on top of HEAD. */
  readonly mode: "patch" | "branch";
  /** Checks what would land, file by file; returns how it failed, or undefined. Nothing lands if it fails. */
  readonly verify?: ((steps: readonly LandingStep[]) => Promise<RedCheck | undefined>) | undefined;
  /** Called once the changed files are known, before the check runs; returns why they may not change, or undefined. */
  readonly permit?: ((files: readonly string[]) => Promise<string | undefined>) | undefined;
  /** Wraps the writing of the files. */
  readonly aroundWrite?: ((files: readonly LandedFile[], write: () => Promise<void>) => Promise<void>) | undefined;
  /** These deltas are the whole work of view `id`: once they are written, the view no longer outlives its process. */
  readonly isAllOfView?: boolean | undefined;
  /** The message for the commit on a branch. */
  readonly message?: string | undefined;
}

/** How a check of a landing failed. */
export interface RedCheck {
  readonly exitCode: number;
  /** The output of the check, for the author of the work. */
  readonly output: string;
}

/** A repository, or the project itself, with the deltas that change it. */
interface Site {
  readonly top: string;
  readonly git: GitStore;
  /** Tree of the current files. */
  readonly ours: string;
  readonly changes: readonly { readonly id: string; readonly part: DeltaPart }[];
}

/** What a landing is about to do: the files, what to check, and how to write it. */
interface LandingPlan {
  readonly conflicts: readonly LandingConflict[];
  readonly files: readonly string[];
  /** The steps that turn a view of the project into what is checked; one list per check. */
  readonly checked: readonly (readonly LandingStep[])[];
  readonly carryOut: () => Promise<LandingResult>;
}

/** Lands all deltas or none. Throws only if git or the disk fails; conflicts and refusals are part of the result. */
export async function land(request: LandRequest): Promise<LandingResult> {
  const { root, id, store, host, signal, mode } = request;
  await recoverStore(store, host);
  const folder = claimFolder(store, `landing-${id}`);
  const processes = new Processes({ clock: host.clock });
  const env = new LocalEnvironment({ ...host, cwd: root, owner: landingOwner(id) });
  try {
    const sites = await sitesOf(request, folder, processes);
    const plan = mode === "branch" ? await branches(request, sites) : await files(request, sites, env, folder);
    if (plan.conflicts.length > 0) return { kind: "conflict", conflicts: plan.conflicts };
    if (plan.files.length === 0) return { kind: "nothing" };
    const refusal = await request.permit?.(plan.files);
    if (refusal !== undefined) return { kind: "refused", why: refusal };
    for (const steps of request.verify ? plan.checked : []) {
      const red = await request.verify?.(steps);
      if (red) return { kind: "red", ...red };
    }
    signal.throwIfAborted();
    return await plan.carryOut();
  } finally {
    await env.cleanup();
    await processes.cleanup();
    await removeFolder(folder);
  }
}

async function branches({ deltas, message }: LandRequest, sites: readonly Site[]): Promise<LandingPlan> {
  const { ready, conflicts } = await branchPlan(sites, message);
  const checked: LandingStep[][] = [];
  for (const { id } of conflicts.length > 0 ? [] : deltas) {
    const steps: LandingStep[] = [];
    for (const branch of ready.filter((one) => one.id === id)) {
      const { git, top, ours } = sites.find((site) => site.top === branch.site.top)!;
      steps.push(...(await stepsBetween(git, top, ours, branch.tree)));
    }
    checked.push(steps);
  }
  return {
    conflicts,
    checked,
    files: sites.flatMap(({ top, changes }) =>
      changes.flatMap(({ part }) => part.changes.map(({ path }) => join(top, path))),
    ),
    carryOut: async () => {
      for (const branch of ready) await makeBranch(branch);
      return { kind: "landed", files: [], branches: ready.map(({ name }) => name) };
    },
  };
}

async function files(
  { root, id, store, signal, aroundWrite, isAllOfView }: LandRequest,
  sites: readonly Site[],
  env: ExecutionEnvironment,
  folder: string,
): Promise<LandingPlan> {
  const { steps, conflicts } = await mergedSteps(env, root, sites);
  const paths = steps.map(({ path }) => path);
  const write = async (): Promise<LandingConflict[]> => {
    const changed = changedSince(steps);
    if (changed.length > 0) return changed;
    const stopped = await writeSteps(env, folder, id, steps, signal, isAllOfView ? join(store, id) : undefined);
    return stopped ? [stopped] : [];
  };
  return {
    conflicts,
    files: paths,
    checked: [steps],
    carryOut: async () => {
      let stopped: LandingConflict[] = [];
      const landed = steps.map(({ path, after }) => ({ path, sign: signOf(after) }));
      const around = aroundWrite ?? ((_files, work) => work());
      await around(landed, async () => {
        stopped = await write();
      });
      if (stopped.length > 0) return { kind: "conflict", conflicts: stopped };
      return { kind: "landed", files: paths, branches: [] };
    },
  };
}

async function sitesOf(
  { root, deltas, host, signal }: LandRequest,
  folder: string,
  processes: Processes,
): Promise<Site[]> {
  const tops = [...new Set(deltas.flatMap(({ parts }) => parts.filter(isChanged).map(({ top }) => top)))];
  const sites: Site[] = [];
  for (const [number, top] of tops.entries()) {
    const changes = deltas.flatMap(({ id, parts }) =>
      parts.filter((part) => part.top === top && isChanged(part)).map((part) => ({ id, part })),
    );
    const repository = repositoryAt(top);
    const objects = repository ? [join(repository.commonDir, "objects")] : [];
    const [first] = changes;
    const git = openGitStore({
      gitDir: join(folder, `site-${number}`),
      processes,
      path: host.baseEnv["PATH"],
      borrowed: [...changes.map(({ part }) => join(part.gitDir, "objects")), ...objects],
      objectFormat: repository?.objectFormat,
      excludes: first!.part.excludes,
      signal,
    });
    const index = join(git.gitDir, "index");
    copyIndex(first!.part.baseIndex, index);
    const scope = isInside(root, top) ? relative(top, root) : "";
    const source = { top, scope, hostPath: (path: string) => join(top, path) };
    const added = changes.flatMap(({ part }) => part.changes.filter(({ kind }) => kind === "added"));
    const { tree } = await takeTree(git, index, { ...source, also: added.map(({ path }) => path) });
    sites.push({ top, git, ours: tree, changes });
  }
  return sites;
}

const isChanged = ({ base, tree }: DeltaPart): boolean => base !== tree;

async function mergedSteps(env: ExecutionEnvironment, root: string, sites: readonly Site[]) {
  const steps: LandingStep[] = [];
  const conflicts: LandingConflict[] = [];
  for (const { git, top, ours, changes } of sites) {
    const merged = await mergeChanges(
      git,
      ours,
      changes.map(({ id, part }) => ({ id, base: part.base, tree: part.tree })),
    );
    conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, path: join(top, conflict.path) })));
    if (merged.conflicts.length === 0) steps.push(...(await stepsBetween(git, top, ours, merged.tree)));
  }
  conflicts.push(...(await forbiddenSteps(env, root, steps)));
  return { steps, conflicts };
}
