// Telling versions of a file apart without reading it.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats, writeSync } from "node:fs";
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

/** `lookedAt`: the file system's time before the stat was taken, from `LookTime`. */
export function statMark({ mtimeMs, ctimeMs, size, ino }: Stats, lookedAt: number): StatMark {
  const tick = ctimeMs % 1000 === 0 && mtimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  return { mtimeMs, ctimeMs, size, ino, isFresh: Math.max(ctimeMs, mtimeMs) > lookedAt - tick };
}

export function isUnchanged(mark: StatMark | undefined, stat: Stats): boolean {
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

/**
 * The time of a look, by the clock that gives files their times; it ticks more slowly than ours. A file is written to learn it, so it is
 * taken when something has changed and not before.
 */
export class LookTime {
  readonly #probe: string;
  #taken: number | undefined;

  constructor(probe: string) {
    this.#probe = probe;
  }

  /** Undefined until something has asked for it; only stats that are taken after that may be compared with it. */
  get taken(): number | undefined {
    return this.#taken;
  }

  take(): number {
    this.#taken ??= fileSystemTime(this.#probe);
    return this.#taken;
  }
}

function fileSystemTime(probe: string): number {
  const fd = openProbe(probe);
  try {
    writeSync(fd, ".", 0);
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

/** The file is not truncated: some file systems wait for the disk when a truncated file is closed. */
function openProbe(probe: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT;
  try {
    return openSync(probe, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(probe), { recursive: true, mode: 0o700 });
    return openSync(probe, flags, 0o600);
  }
}
