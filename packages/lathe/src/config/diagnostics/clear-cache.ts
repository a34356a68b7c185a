// Removes what Lathe remembers to be faster, when it has not been used for long. Everything there can be made again.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../platform/home/folder-names.ts";

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
