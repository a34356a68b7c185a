// Computes the writes for a merged tree and carries them out: files through the edit core, links directly, all or
// nothing.

import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { ToolFailure } from "../../contract/tool.ts";
import { isInside } from "../../world/env/is-inside.ts";
import { realPathOf } from "../../world/env/real-path.ts";
import { EnvError, type ExecutionEnvironment } from "../../world/env/types.ts";
import { commitChanges } from "../edit/commit.ts";
import { contentOf, type FileContent, type StagedChange } from "../edit/staged.ts";
import type { GitStore } from "./git-store.ts";
import {
  closeJournal,
  fileAt,
  findAt,
  type LandingStep,
  landingOwner,
  type PathState,
  putAt,
  removeEmptyFolders,
  signOf,
  undoLanding,
  writeJournal,
} from "./landing-journal.ts";
import { removeFolders, Swaps } from "./swaps.ts";
import { readObjects, type TreeEntry, treeDifference } from "./tree.ts";
import type { LandingConflict } from "./types.ts";

const LINK = "120000";
const PROGRAM = "100755";

/** The steps that turn the files of tree `before` into those of `after`. */
export async function stepsBetween(git: GitStore, top: string, before: string, after: string): Promise<LandingStep[]> {
  const differences = await treeDifference(git, before, after);
  const wanted = differences.flatMap((difference) => [difference.before, difference.after]);
  const objects = await readObjects(
    git,
    wanted.flatMap((entry) => (entry ? [entry.object] : [])),
  );
  const foundEntry = (entry: TreeEntry | undefined): PathState => {
    if (!entry) return { kind: "absent" };
    const bytes = objects.get(entry.object)!;
    if (entry.mode === LINK) return { kind: "link", target: bytes.toString("utf8") };
    return { kind: "file", mode: entry.mode === PROGRAM ? 0o755 : 0o644, bytes };
  };
  return differences.map((difference) => ({
    path: join(top, difference.path),
    top,
    before: foundEntry(difference.before),
    after: foundEntry(difference.after),
  }));
}

/** Files and links that may never land: repository data, links that lead outside, and writes through a link. */
export async function forbiddenSteps(
  env: ExecutionEnvironment,
  root: string,
  steps: readonly LandingStep[],
): Promise<LandingConflict[]> {
  const found: LandingConflict[] = [];
  const forbid = (path: string, message: string): void => {
    found.push({ path, kind: "forbidden", message, regions: [] });
  };
  const swaps = new Swaps(steps);
  for (const { path, after } of steps) {
    const inside = relative(root, path);
    if (!isInside(path, root)) forbid(path, `${path} is outside ${root}.`);
    else if (inside.split("/").some((part) => part.toLowerCase() === ".git"))
      forbid(path, `${path} belongs to a repository's own data.`);
    else if (await isBehindLink(env, swaps.firstReplaced(path) ?? path))
      forbid(path, `${path} is reached through a link.`);
    else if (after.kind === "link" && !staysInside(path, after.target, root))
      forbid(path, `${path} would be a link that leads out of ${root}.`);
    else if (after.kind !== "absent") {
      const kept = swaps.keptBelow(path);
      if (kept)
        forbid(path, `${path} would have to become a file, but ${kept} exists there and is not part of the changes.`);
    }
  }
  return found;
}

async function isBehindLink(env: ExecutionEnvironment, path: string): Promise<boolean> {
  return (await realPathOf(env, dirname(path))) !== dirname(path);
}

function staysInside(path: string, target: string, root: string): boolean {
  const leadsTo = isAbsolute(target) ? target : resolve(dirname(path), target);
  return (
    isInside(leadsTo, root) &&
    !relative(root, leadsTo)
      .split("/")
      .some((part) => part.toLowerCase() === ".git")
  );
}

/** Paths that have changed since the merge. */
export function changedSince(steps: readonly LandingStep[]): LandingConflict[] {
  return steps
    .filter(({ path, before }) => signOf(before.kind === "absent" ? fileAt(path) : findAt(path)) !== signOf(before))
    .map(({ path }) => changedMeanwhile(path));
}

const changedMeanwhile = (path: string): LandingConflict => ({
  path,
  kind: "changed",
  message: `${path} was changed while the landing was being prepared. Land again.`,
  regions: [],
});

/**
 * Returns the conflict that stopped it, in which case nothing is changed. `view`: folder of the view whose work this
 * completes.
 */
export async function writeSteps(
  env: ExecutionEnvironment,
  folder: string,
  id: string,
  steps: readonly LandingStep[],
  signal: AbortSignal,
  view?: string,
): Promise<LandingConflict | undefined> {
  const exact = steps.map((step) => ({ ...step, ...modesOnDisk(step) }));
  const swaps = new Swaps(exact);
  const first = exact.filter(({ path }) => swaps.isInTheWay(path));
  writeJournal(folder, landingOwner(id), exact);
  try {
    const lost = [...(await write(env, first, signal))];
    for (const path of swaps.folders()) removeFolders(path);
    lost.push(
      ...(await write(
        env,
        exact.filter((step) => !first.includes(step)),
        signal,
      )),
    );
    closeJournal(folder, lost.length === 0 ? view : undefined);
    for (const { path, top, after } of exact) if (after.kind === "absent") removeEmptyFolders(dirname(path), top);
    return lost[0] === undefined ? undefined : changedMeanwhile(lost[0]);
  } catch (error) {
    undoLanding(folder);
    if (error instanceof ToolFailure || (error instanceof EnvError && error.code === "changed")) {
      const path = steps.find((step) => error.message.includes(step.path))?.path ?? steps[0]!.path;
      return { path, kind: "changed", message: error.message, regions: [] };
    }
    throw error;
  }
}

/** Returns paths of files that were overwritten although another program wrote them at the same moment. */
async function write(env: ExecutionEnvironment, steps: readonly LandingStep[], signal: AbortSignal): Promise<string[]> {
  const isLinkStep = ({ before, after }: LandingStep): boolean => before.kind === "link" || after.kind === "link";
  const changes = await Promise.all(steps.filter((step) => !isLinkStep(step)).map((step) => stagedChange(env, step)));
  const overwrote = await commitChanges(env, changes, signal);
  for (const step of steps.filter(isLinkStep)) writeLink(step);
  return [...overwrote].map(({ target }) => target.absolute);
}

/** Trees record only whether a file is executable; its other permissions stay unchanged. */
function modesOnDisk({ path, before, after }: LandingStep): Pick<LandingStep, "before" | "after"> {
  if (before.kind !== "file") return { before, after };
  const found = findAt(path);
  const mode = found.kind === "file" ? found.mode : before.mode;
  if (after.kind !== "file") return { before: { ...before, mode }, after };
  const runnable = mode | ((mode & 0o444) >> 2);
  return {
    before: { ...before, mode },
    after: { ...after, mode: (after.mode & 0o100) === 0 ? mode & ~0o111 : runnable },
  };
}

async function stagedChange(env: ExecutionEnvironment, { path, before, after }: LandingStep): Promise<StagedChange> {
  const stat = before.kind === "file" ? await env.stat(path) : undefined;
  const version = stat?.version === undefined ? {} : { version: stat.version };
  const target = { path, absolute: path, real: path };
  const isNew = before.kind === "absent";
  return {
    target,
    ...(before.kind === "file" ? { before: { ...contentOf(before.bytes), mode: before.mode, ...version } } : {}),
    ...(after.kind === "file" ? { after: afterOf(after, isNew) } : {}),
  };
}

/** A new file gets default permissions. */
function afterOf({ bytes, mode }: { bytes: Uint8Array; mode: number }, isNew: boolean): FileContent {
  if (!isNew) return { ...contentOf(bytes), mode };
  return { ...contentOf(bytes), ...((mode & 0o100) === 0 ? {} : { executable: true }) };
}

function writeLink({ path, before, after }: LandingStep): void {
  if (signOf(findAt(path)) !== signOf(before))
    throw new EnvError("changed", `${path} was changed while the landing was written.`, { path });
  putAt(path, after);
  if (after.kind === "link" && readlinkSync(path) !== after.target)
    throw new EnvError("changed", `${path} was changed while the landing was written.`, { path });
}
