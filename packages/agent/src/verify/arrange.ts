// Which files a view must have for each run of a check: the current ones, with the old tests, or with the old code.

import { relative } from "node:path";
import { type LandingStep, type PathState, signOf } from "../files/isolate/landing-journal.ts";
import { isInside } from "../world/env/is-inside.ts";
import { foldersWithNewDependencies, lockBelongsTo, oldManifest } from "./manifest.ts";
import { fateOf, type RestsOn } from "./rests-on.ts";
import type { Change, NamedTest, RunOf } from "./types.ts";

/** The changes of the work, sorted. */
export interface Arrangement {
  /** Changed files that checks rest on and that "old tests" restores. */
  readonly named: readonly NamedTest[];
  /** Files with tests that the work has added. */
  readonly newTests: readonly Change[];
  /** True if the work changed anything but tests. */
  readonly hasCode: boolean;
  /**
   * The steps that turn the project's files into those of a run. `only`: keeps this one of the new tests and removes
   * the others.
   */
  stepsFor(of: RunOf, only?: Change): readonly LandingStep[];
}

export function arrange(
  { root, cwd, isOnDisk }: { readonly root: string; readonly cwd: string; readonly isOnDisk: boolean },
  changes: readonly Change[],
  rests: RestsOn,
): Arrangement {
  const short = (path: string): string => relative(cwd, path);
  // A pattern for the top of a repository also applies at the top of the working folder.
  const names = (path: string): string[] =>
    cwd === root || !isInside(path, cwd) ? [relative(root, path)] : [relative(root, path), relative(cwd, path)];
  const withDependencies = foldersWithNewDependencies(changes);
  const isRested = ({ path }: Change): boolean => names(path).some(rests.isRested);
  const oldOf = (change: Change): PathState => {
    if (names(change.path).some(rests.isLock) && lockBelongsTo(change.path, withDependencies)) return change.after;
    return oldManifest(change) ?? change.before;
  };
  const rested = changes.filter((change) => isRested(change) && signOf(oldOf(change)) !== signOf(change.after));
  const newTests = changes.filter(
    ({ path, before, after }) => before.kind === "absent" && after.kind === "file" && names(path).some(rests.isTest),
  );
  const stateFor = (change: Change, of: RunOf, only?: Change): PathState => {
    if (of === "now") return change.after;
    if (of === "old tests") return isRested(change) ? oldOf(change) : change.after;
    if (only && change !== only && newTests.includes(change)) return change.before;
    return isRested(change) ? change.after : change.before;
  };
  return {
    named: rested.map((change) => ({ path: short(change.path), fate: fateOf(change) })),
    newTests,
    hasCode: changes.some((change) => !isRested(change)),
    stepsFor: (of, only) =>
      changes.flatMap((change) => {
        const [from, to] = [isOnDisk ? change.after : change.before, stateFor(change, of, only)];
        return signOf(from) === signOf(to) ? [] : [{ path: change.path, top: change.top, before: from, after: to }];
      }),
  };
}
