// Reads what a view changed: a tree for each of its repositories, and what belongs to none.

import { join, relative } from "node:path";
import { isInside } from "../../world/env/is-inside.ts";
import { findLeftOut, type ViewFiles } from "./left-out.ts";
import { type Part, type PartSource, retakePart } from "./parts.ts";
import { ignoredAmong, type TakenTree, type TreeSource, treeDifference } from "./tree.ts";
import type { Delta, DeltaChange, DeltaPart, LeftOut } from "./types.ts";

/** Where the files of a view are. */
export interface DeltaSource {
  readonly id: string;
  readonly root: string;
  readonly parts: readonly Part[];
  /** Number of this delta, which names its indexes. */
  readonly number: number;
  readonly files: ViewFiles;
  source(part: Part): Promise<PartSource>;
}

export async function readDelta({ id, root, parts, number, files, source }: DeltaSource): Promise<Delta> {
  const read: DeltaPart[] = [];
  const changedBelow: string[] = [];
  const leftOut: LeftOut[] = [];
  const sources = new Map<Part, PartSource>();
  const tops = new Set(parts.map(({ top }) => top));
  for (const part of parts) {
    const index = indexOf(part, number);
    const where = await source(part);
    sources.set(part, where);
    const taken = await takePartIn(part, parts, index, where);
    const now = await retakePart(part, `${index}-below`);
    const absolute = (path: string): string => join(part.top, path);
    changedBelow.push(...(await treeDifference(part.git, part.base, now.tree)).map(({ path }) => absolute(path)));
    leftOut.push(...taken.leftOut.map(({ path, why }) => ({ path: absolute(path), why })));
    const made = taken.nested.map(absolute).filter((path) => !tops.has(path));
    leftOut.push(...(taken.isGone ? [part.top] : made).map((path) => ({ path, why: "repository" as const })));
    read.push({
      top: part.top,
      base: part.base,
      tree: taken.tree,
      gitDir: part.git.gitDir,
      baseIndex: part.baseIndex,
      excludes: part.excludes,
      objectFormat: part.repository?.objectFormat ?? "sha1",
      changes: (await treeDifference(part.git, part.base, taken.tree)).map(changeOf),
    });
  }
  const findIgnored = (paths: readonly string[]): Promise<ReadonlySet<string>> =>
    ignoredIn(parts, number, sources, paths);
  const rest = await findLeftOut({
    root,
    files,
    changes: new Set(read.flatMap(({ top, changes }) => changes.map(({ path }) => join(top, path)))),
    leftOut: new Set(leftOut.map(({ path }) => path)),
    findIgnored: findIgnored,
  });
  return { id, parts: read, changedBelow, leftOut: [...leftOut, ...rest] };
}

const indexOf = ({ git }: Part, number: number): string => join(git.gitDir, `delta-${number}`);

/** Takes a part from the view. Files of nested repositories belong to those. */
export function takePartIn(part: Part, parts: readonly Part[], index: string, source: PartSource): Promise<TakenTree> {
  const inner = parts.filter(({ top }) => top !== part.top && isInside(top, part.top)).map(({ top }) => top);
  const isOurs = (path: string): boolean => !inner.some((top) => isInside(join(part.top, path), top));
  const { isWanted = () => true } = source;
  return retakePart(part, index, {
    ...source,
    isWanted: (path, isGone) => isOurs(path) && isWanted(path, isGone),
  });
}

function changeOf({ path, before, after }: { path: string; before: unknown; after: unknown }): DeltaChange {
  return { path, kind: before === undefined ? "added" : after === undefined ? "deleted" : "changed" };
}

async function ignoredIn(
  parts: readonly Part[],
  number: number,
  sources: ReadonlyMap<Part, PartSource>,
  paths: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  const innermostFirst = [...parts].sort((one, other) => other.top.length - one.top.length);
  const partOf = (path: string): Part | undefined => innermostFirst.find(({ top }) => isInside(path, top));
  for (const part of parts) {
    const mine = paths.filter((path) => path !== part.top && partOf(path) === part);
    if (mine.length === 0) continue;
    const source: TreeSource = { top: part.top, scope: part.scope, hostPath: (path) => path, ...sources.get(part) };
    const relatives = mine.map((path) => relative(part.top, path));
    for (const path of await ignoredAmong(part.git, indexOf(part, number), source, relatives))
      found.add(join(part.top, path));
  }
  return found;
}
