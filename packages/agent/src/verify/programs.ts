// Programs that were made or changed since the work began: what a check would find on the PATH now and would not have found before.

import { readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isFresh, lstatOf, namesIn, statOf } from "./freshness.ts";

/** Programs that were made or changed since the work began. */
export interface ChangedPrograms {
  /** Others would be found first now; by name, where they were found before. */
  readonly shadowed: ReadonlyMap<string, string>;
  /** They were not there before. */
  readonly added: readonly string[];
  /** Written over: what was there before is gone. Absolute. */
  readonly overwritten: readonly string[];
  /** Links that were not changed themselves. Absolute. */
  readonly links: readonly string[];
}

/** `cwd`: what relative folders of the PATH are relative to. */
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

/** What links lead to. */
export interface LinkedPrograms {
  /** Links to programs that were written over. */
  readonly overwritten: readonly string[];
  /** Folders of packages that programs belong to: `/usr/lib/node_modules/npm`. */
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
    // It leads nowhere, so it starts nothing.
    return undefined;
  }
}
