// Telling versions of a file apart without reading it.

import { lstatSync, mkdirSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fsPath } from "./names.ts";

export type { Stats };

/** What tells one version of a file from another without reading it. */
export interface StatMark {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
  /** Changed so recently that another change may leave the same times: not to be trusted. */
  readonly isFresh: boolean;
}

/** Ticks of the clocks that file systems take their times from are at most this long. */
const TICK_MS = 20;
const COARSE_TICK_MS = 2_000;

/** `lookedAt`: the file system's time before the look, from `fileSystemTime`. */
export function statMark({ mtimeMs, ctimeMs, size, ino }: Stats, lookedAt: number): StatMark {
  const tick = ctimeMs % 1000 === 0 && mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  return { mtimeMs, ctimeMs, size, ino, isFresh: Math.max(ctimeMs, mtimeMs) > lookedAt - tick };
}

export function unchanged(mark: StatMark | undefined, stat: Stats): boolean {
  return (
    mark !== undefined &&
    !mark.isFresh &&
    mark.mtimeMs === stat.mtimeMs &&
    mark.ctimeMs === stat.ctimeMs &&
    mark.size === stat.size &&
    mark.ino === stat.ino
  );
}

/** Undefined when nothing is there that we could see. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(fsPath(path), { throwIfNoEntry: false });
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Gone in between, or not ours to look at. */
export const OUT_OF_REACH: ReadonlySet<string> = new Set([
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ENXIO", "EINVAL"],
]);

/** Now, by the clock that gives files their times; it ticks more slowly than ours. */
export function fileSystemTime(probe: string): number {
  try {
    writeFileSync(probe, ".");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(probe), { recursive: true, mode: 0o700 });
    writeFileSync(probe, ".");
  }
  return statSync(probe).mtimeMs;
}
