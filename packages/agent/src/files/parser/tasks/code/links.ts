// Which files of an index import which, including imports through files that only re-export.

import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { ImportResolver, type IndexedFile } from "./resolve-imports.ts";

export interface CodeLinks {
  readonly files: readonly IndexedFile[];
  /** By file, the files that it imports directly. */
  readonly direct: ReadonlyMap<number, ReadonlySet<number>>;
  /** The same, plus the files that those re-export. */
  readonly whole: ReadonlyMap<number, ReadonlySet<number>>;
}

interface ImportRow {
  readonly file: number;
  readonly specifier: string;
  readonly reexport: number;
}

export function linksIn(db: DatabaseSyncInstance): CodeLinks {
  const files = db.prepare("SELECT id, path FROM file").all() as unknown as IndexedFile[];
  const aliases = db.prepare("SELECT specifier, path FROM alias").all() as { specifier: string; path: string }[];
  const imports = db.prepare("SELECT file, specifier, reexport FROM import").all() as unknown as ImportRow[];
  const resolver = new ImportResolver(files, aliases);
  const pathOf = new Map(files.map(({ id, path }) => [id, path]));
  const direct = new Map<number, Set<number>>();
  const passedOn = new Map<number, Set<number>>();
  for (const { file, specifier, reexport } of imports) {
    const from = pathOf.get(file);
    if (from === undefined) continue;
    for (const target of resolver.resolve(from, specifier)) {
      if (target === file) continue;
      add(direct, file, target);
      if (reexport) add(passedOn, file, target);
    }
  }
  const whole = new Map([...direct].map(([file, targets]) => [file, withPassedOn(targets, passedOn)]));
  return { files, direct, whole };
}

function withPassedOn(targets: ReadonlySet<number>, passedOn: ReadonlyMap<number, ReadonlySet<number>>): Set<number> {
  const reached = new Set(targets);
  // Iterating over a set also visits elements added meanwhile.
  for (const file of reached) for (const next of passedOn.get(file) ?? []) reached.add(next);
  return reached;
}

function add(sets: Map<number, Set<number>>, key: number, value: number): void {
  const known = sets.get(key);
  if (known) known.add(value);
  else sets.set(key, new Set([value]));
}
