// Whether something was changed since a moment, by the time of its last change, which no program can set back.

import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

export const isFresh = (stat: Stats | undefined, since: number): boolean => stat !== undefined && stat.ctimeMs >= since;

/** Undefined: nothing is there, or it may not be looked at, so that it decides nothing for programs of this user. */
export const lstatOf = (path: string): Stats | undefined => looked(() => lstatSync(path));

/** The same for what a link points to. */
export const statOf = (path: string): Stats | undefined => looked(() => statSync(path));

function looked(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Something at or below the path. A folder with more than `looks.left` entries counts as changed. */
export function hasFresh(path: string, since: number, looks: { left: number }): boolean {
  const stat = lstatOf(path);
  if (!stat) return false;
  if (--looks.left < 0 || isFresh(stat, since)) return true;
  return stat.isDirectory() && namesIn(path).some((name) => hasFresh(join(path, name), since, looks));
}

/** What runs of tests leave behind where git does not look: it decides nothing, and there may be much of it. */
export const IS_MADE =
  /\/(?:node_modules|__pycache__|\.venv|venv)$|\.(?:log|out|tmp|xml|html|lcov|info|trace|pid|png|jpe?g|gif|webp|mp4|webm|zip|t?gz|db|sqlite\d?|py[co]|class|o|a|so|dylib|exe|bin|map)$/;
