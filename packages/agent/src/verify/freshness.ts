// Detects whether something was changed since a moment, by its ctime, which no program can set back.

import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

export const isFresh = (stat: Stats | undefined, since: number): boolean => stat !== undefined && stat.ctimeMs >= since;

/** Undefined if nothing is there or we may not look at it; then it cannot affect this user's programs either. */
export const lstatOf = (path: string): Stats | undefined => statOrUndefined(() => lstatSync(path));

/** Like `lstatOf`, but for the target of a link. */
export const statOf = (path: string): Stats | undefined => statOrUndefined(() => statSync(path));

function statOrUndefined(look: () => Stats): Stats | undefined {
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

/**
 * True if something at or below the path was changed. A folder with more than `looks.left` entries counts as changed.
 */
export function hasFresh(path: string, since: number, looks: { left: number }): boolean {
  const stat = lstatOf(path);
  if (!stat) return false;
  if (--looks.left < 0 || isFresh(stat, since)) return true;
  return stat.isDirectory() && namesIn(path).some((name) => hasFresh(join(path, name), since, looks));
}

/** Files that test runs leave behind and git ignores: they affect nothing, and there may be many. */
export const IS_MADE =
  /\/(?:node_modules|__pycache__|\.venv|venv)$|\.(?:log|out|tmp|xml|html|lcov|info|trace|pid|png|jpe?g|gif|webp|mp4|webm|zip|t?gz|db|sqlite\d?|py[co]|class|o|a|so|dylib|exe|bin|map)$/;
