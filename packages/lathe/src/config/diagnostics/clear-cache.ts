// Removes cached data that has not been used for a long time. All of it can be created again.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../platform/home/folder-names.ts";

const KEPT_MS = 30 * 86_400_000;

/** Files and folders that are older than thirty days. */
export function staleIn(cache: string, now: number): readonly string[] {
  return namesIn(cache)
    .map((name) => join(cache, name))
    .filter((path) => now - statSync(path).mtimeMs > KEPT_MS);
}

export function removeStale(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}
