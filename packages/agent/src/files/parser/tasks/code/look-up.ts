// Queries of an index: where a name is defined and used, what a file defines, which files depend on another.

import { posix } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { TaskInput } from "../types.ts";
import { linksIn } from "./links.ts";
import type { FoundDefinition } from "./rank-code.ts";
import { readStore } from "./store.ts";

/** Where a name occurs. */
export interface NamePlaces {
  readonly definitions: readonly FoundDefinition[];
  /** Including definitions. */
  readonly references: readonly { readonly path: string; readonly lines: readonly number[] }[];
}

/** A file that depends on another. */
export interface CodeDependent {
  readonly path: string;
  /** Number of names of the other file that it uses. */
  readonly uses: number;
}

const MOST_FOUND = 500;
const DEFINITIONS = `SELECT file.path AS path, name.text AS name, kind, line, inside, signature
  FROM definition JOIN file ON file.id = file JOIN name ON name.id = name`;

/**
 * `from`: the file that contains the name. If there are definitions in it or in its imports, only these are returned.
 */
export async function findName(input: TaskInput): Promise<NamePlaces> {
  const { file, name, from } = input as TaskInput & { file: string; name: string; from?: string };
  return readStore(file, (db) => {
    const references = db
      .prepare(
        "SELECT path, lines FROM reference JOIN file ON file.id = file JOIN name ON name.id = name WHERE name.text = ? ORDER BY path",
      )
      .all(name) as { path: string; lines: string }[];
    return {
      definitions: nearest(db, foundBy(db, "WHERE name.text = ? ORDER BY path, line", [name]), from),
      references: references.map(({ path, lines }) => ({ path, lines: lines.split(",").map(Number) })),
    };
  });
}

function nearest(db: DatabaseSyncInstance, found: FoundDefinition[], from: string | undefined): FoundDefinition[] {
  if (from === undefined || found.length < 2) return found;
  const own = found.filter(({ path }) => path === from);
  if (own.length > 0) return own;
  const { files, whole } = linksIn(db);
  const id = files.find(({ path }) => path === from)?.id;
  const imported = new Set(
    files.filter((one) => id !== undefined && whole.get(id)?.has(one.id)).map(({ path }) => path),
  );
  const meant = found.filter(({ path }) => imported.has(path));
  return meant.length > 0 ? meant : found;
}

/** What a file defines, or the definitions whose names contain `query`, the best matches first. */
export async function listDefinitions(input: TaskInput): Promise<FoundDefinition[]> {
  const { file, path, query = "" } = input as TaskInput & { file: string; path?: string; query?: string };
  return readStore(file, (db) => {
    if (path !== undefined) return foundBy(db, "WHERE path = ? ORDER BY line", [path]);
    const like = `%${query.replace(/[\\%_]/g, "\\$&")}%`;
    const where = "WHERE name.text LIKE ? ESCAPE '\\' ORDER BY length(name.text), path, line LIMIT ?";
    return foundBy(db, where, [like, MOST_FOUND]);
  });
}

const foundBy = (db: DatabaseSyncInstance, where: string, values: readonly (string | number)[]): FoundDefinition[] =>
  db.prepare(`${DEFINITIONS} ${where}`).all(...values) as unknown as FoundDefinition[];

/**
 * Files that import this one, or use its names through re-exports; those that use most of its names first. Undefined if
 * the file is not in the index.
 */
export async function findDependents(input: TaskInput): Promise<CodeDependent[] | undefined> {
  const { file, path } = input as TaskInput & { file: string; path: string };
  return readStore(file, (db) => {
    const { files, direct, whole } = linksIn(db);
    const own = files.find((one) => one.path === path);
    if (own === undefined) return undefined;
    const uses = new Map(
      (
        db
          .prepare(
            `SELECT reference.file AS file, count(DISTINCT reference.name) AS uses FROM reference
             WHERE name IN (SELECT name FROM definition WHERE file = ? AND inside = '') AND reference.file <> ? GROUP BY reference.file`,
          )
          .all(own.id, own.id) as { file: number; uses: number }[]
      ).map((row) => [row.file, row.uses]),
    );
    // In these languages, the files of a folder form a package without imports.
    const isPackage = /\.(?:go|java|cs|rb|php|rs)$/.test(path);
    return files
      .filter(({ id, path: other }) => {
        if (id === own.id) return false;
        if (direct.get(id)?.has(own.id)) return true;
        if (!uses.has(id)) return false;
        return whole.get(id)?.has(own.id) === true || (isPackage && posix.dirname(other) === posix.dirname(path));
      })
      .map((one) => ({ path: one.path, uses: uses.get(one.id) ?? 0 }))
      .sort((a, b) => b.uses - a.uses || (a.path < b.path ? -1 : 1));
  });
}
