// Removes what Lathe remembers to be faster, when it has not been used for long. Everything there can be made again.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const KEPT_MS = 30 * 86_400_000;

/** What is older than thirty days, by the time of each file or folder. */
export function staleIn(cache: string, now: number): readonly string[] {
  return namesIn(cache)
    .map((name) => join(cache, name))
    .filter((path) => now - statSync(path).mtimeMs > KEPT_MS);
}

export function removeStale(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
