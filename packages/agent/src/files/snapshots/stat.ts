// Distinguishes versions of a file without reading it.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats, writeSync } from "node:fs";
import { dirname } from "node:path";
import { fsPath } from "./names.ts";

export type { Stats };

/** What distinguishes one version of a file from another without reading it. */
export interface StatMark {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
  /** Changed so recently that another change may leave the same times, so it cannot be trusted. */
  readonly isFresh: boolean;
}

/** File system clocks tick at least this often. */
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

/** Undefined if nothing is visible there. */
export function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(fsPath(path), { throwIfNoEntry: false });
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** It was deleted in between, or we may not access it. */
export const OUT_OF_REACH: ReadonlySet<string> = new Set([
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ENXIO", "EINVAL"],
]);

/**
 * The time of a scan, from the clock that stamps files; it ticks more slowly than ours. Learning it means writing a
 * file, so it is taken only if something has changed.
 */
export class LookTime {
  readonly #probe: string;
  #taken: number | undefined;

  constructor(probe: string) {
    this.#probe = probe;
  }

  /** Undefined until it is requested; only later stats may be compared with it. */
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

/** The file is not truncated, because some file systems wait for the disk when a truncated file is closed. */
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
