// Files that replace folders, and folders that replace files or links: what is in the way must be removed first.

import { readdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { EnvError } from "../../world/process/types.ts";
import type { LandingStep } from "./landing-journal.ts";
import { lstatOf } from "./on-disk.ts";

/** Determines which steps of a landing must come before others. */
export class Swaps {
  readonly #removed: ReadonlySet<string>;
  readonly #written: ReadonlySet<string>;
  /** Folders that the landing writes to. */
  readonly #filled = new Set<string>();
  /** Folders that the landing removes files from. */
  readonly #emptied = new Set<string>();

  constructor(steps: readonly LandingStep[]) {
    const [removed, written]: [string[], string[]] = [[], []];
    for (const { path, top, after } of steps) {
      (after.kind === "absent" ? removed : written).push(path);
      const folders = after.kind === "absent" ? this.#emptied : this.#filled;
      for (let at = dirname(path); at.startsWith(`${top}/`) && !folders.has(at); at = dirname(at)) folders.add(at);
    }
    this.#removed = new Set(removed);
    this.#written = new Set(written);
  }

  /** Whether this must be removed to make room for what is written. */
  isInTheWay(path: string): boolean {
    return this.#removed.has(path) && (this.#filled.has(path) || parentsOf(path).some((one) => this.#written.has(one)));
  }

  /** The outermost parent path at which a file or link is replaced by a folder. */
  firstReplaced(path: string): string | undefined {
    return parentsOf(path).findLast((one) => this.#removed.has(one));
  }

  /** Folders that must be gone before files can replace them. */
  folders(): string[] {
    return [...this.#written].filter((path) => this.#emptied.has(path));
  }

  /** A file in a folder that must be replaced, but which no step removes. */
  keptBelow(path: string): string | undefined {
    return lstatOf(path)?.isDirectory() ? this.#keptIn(path) : undefined;
  }

  #keptIn(folder: string): string | undefined {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const kept = entry.isDirectory() ? this.#keptIn(path) : this.#removed.has(path) ? undefined : path;
      if (kept !== undefined) return kept;
    }
    return undefined;
  }
}

/** Innermost first. */
function parentsOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.push(at);
  return folders;
}

/** Fails if one of the folders contains a file. */
export function removeFolders(path: string): void {
  if (!lstatOf(path)?.isDirectory()) return;
  for (const name of readdirSync(path)) removeFolders(join(path, name));
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    throw new EnvError("changed", `${path} was changed while the landing was written.`, { path });
  }
}
