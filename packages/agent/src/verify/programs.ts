// Programs that were created or changed since the work began, so that a check would now find something else on the
// PATH.

import { readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isFresh, lstatOf, namesIn, statOf } from "./freshness.ts";

/** Programs that were created or changed since the work began. */
export interface ChangedPrograms {
  /** Programs that are now hidden by new ones; by name, with the path where they were found before. */
  readonly shadowed: ReadonlyMap<string, string>;
  /** Names that did not exist on the PATH before. */
  readonly added: readonly string[];
  /** Files that were overwritten, so the old program is gone. Absolute. */
  readonly overwritten: readonly string[];
  /** Links that were not changed themselves. Absolute. */
  readonly links: readonly string[];
}

/** `cwd`: the base of relative folders in the PATH. */
export function changedPrograms(path: string, since: number, cwd: string): ChangedPrograms {
  const shadowed = new Map<string, string>();
  const overwritten: string[] = [];
  const links: string[] = [];
  const fresh = new Set<string>();
  for (const folder of path.split(":").map((part) => resolve(cwd, part))) {
    const isNewLink = isFresh(lstatOf(folder), since) && lstatOf(folder)!.isSymbolicLink();
    for (const name of namesIn(folder)) {
      const file = join(folder, name);
      const stat = lstatOf(file);
      if (isNewLink || isFresh(stat, since)) {
        const wasThere = stat !== undefined && stat.birthtimeMs < since && !isNewLink;
        if (wasThere && !stat.isDirectory()) overwritten.push(file);
        else if (!shadowed.has(name)) fresh.add(name);
        continue;
      }
      if (stat?.isSymbolicLink()) links.push(file);
      if (!fresh.delete(name)) continue;
      shadowed.set(name, file);
    }
  }
  return { shadowed, added: [...fresh], overwritten, links };
}

/** The targets of links. */
export interface LinkedPrograms {
  /** Links to programs that were overwritten. */
  readonly overwritten: readonly string[];
  /** Package folders that programs belong to, such as `/usr/lib/node_modules/npm`. */
  readonly packages: readonly string[];
}

export function linkedPrograms(links: readonly string[], since: number): LinkedPrograms {
  const packages = new Set(links.flatMap((link) => packageOf(link) ?? []));
  return { overwritten: links.filter((link) => isFresh(statOf(link), since)), packages: [...packages] };
}

function packageOf(link: string): string | undefined {
  try {
    if (!readlinkSync(link).includes("node_modules/")) return undefined;
    return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(realpathSync(link))?.[0];
  } catch {
    // A dangling link starts nothing.
    return undefined;
  }
}
