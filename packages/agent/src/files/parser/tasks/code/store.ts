// The file of an index: opened, created, and recreated if it is damaged or has another version. Its content can always
// be rebuilt from the sources.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { missingPackage } from "../../../../base/optional-package.ts";
import { CannotParse, type TaskInput } from "../types.ts";
import type { CodeFacts } from "./facts.ts";
import { mustHaveGrammars } from "./read-code.ts";

const VERSION = 1;
const TABLES = ["definition", "reference", "import", "alias"];
const SCHEMA = `
CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime REAL NOT NULL);
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE definition (file INTEGER NOT NULL, name INTEGER NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL,
  inside TEXT NOT NULL, signature TEXT NOT NULL);
CREATE INDEX definition_of_name ON definition (name);
CREATE INDEX definition_of_file ON definition (file);
CREATE TABLE reference (name INTEGER NOT NULL, file INTEGER NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (name, file)) WITHOUT ROWID;
CREATE INDEX reference_of_file ON reference (file);
CREATE TABLE import (file INTEGER NOT NULL, specifier TEXT NOT NULL, reexport INTEGER NOT NULL);
CREATE INDEX import_of_file ON import (file);
CREATE TABLE alias (file INTEGER NOT NULL, specifier TEXT NOT NULL, path TEXT NOT NULL);
CREATE INDEX alias_of_file ON alias (file);
PRAGMA user_version = ${VERSION};`;

/** How long to wait for another process that is writing. */
const PATIENCE_MS = 15_000;
const UNUSABLE = new Set([11, 26]); // SQLITE_CORRUPT, SQLITE_NOTADB

class OtherVersion extends Error {}

/** Opens, uses and closes the index. An unusable index is removed; the caller fills the next one. */
export async function withStore<T>(file: string, use: (db: DatabaseSyncInstance) => T): Promise<T> {
  const { DatabaseSync } = await import("@photostructure/sqlite").catch(() => {
    throw new CannotParse(missingPackage("the code index", "@photostructure/sqlite"));
  });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite itself would make it world-readable.
  writeFileSync(file, "", { flag: "a", mode: 0o600 });
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const version = versionOf(db);
    if (version === 0) makeTables(db);
    else if (version !== VERSION) throw new OtherVersion();
    return use(db);
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (!(error instanceof OtherVersion) && !UNUSABLE.has(code)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    throw new CannotParse(REMOVED);
  } finally {
    db.close();
  }
}

/** The same for reading only: another process may write in between, and the ids of files then change. */
export const readStore = <T>(file: string, look: (db: DatabaseSyncInstance) => T): Promise<T> =>
  withStore(file, (db) => transact(db, () => look(db), "DEFERRED"));

/** Why a task failed that may be retried. */
const REMOVED = "the index was damaged and has been removed";

const versionOf = (db: DatabaseSyncInstance): number =>
  (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;

function makeTables(db: DatabaseSyncInstance): void {
  transact(db, () => {
    // Another process may have been faster.
    if (versionOf(db) === 0) db.exec(SCHEMA);
  });
}

function transact<T>(db: DatabaseSyncInstance, work: () => T, kind = "IMMEDIATE"): T {
  db.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

/** The files to read, and the files that are gone, whose rows are removed. */
export interface CodeChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares the index with all existing files; `stats` has the format of `statCode`. */
export async function compareCode(input: TaskInput): Promise<CodeChanges> {
  const { file, paths, stats } = input as TaskInput & { file: string; paths: readonly string[]; stats: Float64Array };
  const changes = await withStore(file, (db) => {
    const known = new Map(
      (db.prepare("SELECT path, size, mtime FROM file").all() as { path: string; size: number; mtime: number }[]).map(
        (row) => [row.path, row],
      ),
    );
    const [added, changed]: [string[], string[]] = [[], []];
    for (const [at, path] of paths.entries()) {
      const [size = -1, mtime = -1] = stats.subarray(at * 2, at * 2 + 2);
      if (size < 0) continue;
      const row = known.get(path);
      known.delete(path);
      if (row === undefined) added.push(path);
      else if (row.size !== size || row.mtime !== mtime) changed.push(path);
    }
    const removed = [...known.keys()];
    if (removed.length > 0) transact(db, () => removed.forEach(removal(db)));
    return { added, changed, removed };
  });
  if (changes.added.length + changes.changed.length > 0) await mustHaveGrammars();
  return changes;
}

function removal(db: DatabaseSyncInstance): (path: string) => void {
  const find = db.prepare("SELECT id FROM file WHERE path = ?");
  const remove = TABLES.map((table) => db.prepare(`DELETE FROM ${table} WHERE file = ?`));
  const removeFile = db.prepare("DELETE FROM file WHERE id = ?");
  return (path) => {
    const row = find.get(path) as { id: number } | undefined;
    if (row === undefined) return;
    for (const statement of [...remove, removeFile]) statement.run(row.id);
  };
}

/** Replaces what is stored about these files. */
export async function storeCode(input: TaskInput): Promise<void> {
  const { file, facts } = input as TaskInput & { file: string; facts: readonly CodeFacts[] };
  await withStore(file, (db) =>
    transact(db, () => {
      const remove = removal(db);
      const addName = db.prepare("INSERT INTO name (text) VALUES (?) ON CONFLICT DO NOTHING");
      const findName = db.prepare("SELECT id FROM name WHERE text = ?");
      const names = new Map<string, number>();
      const nameId = (text: string): number => {
        let id = names.get(text);
        if (id === undefined) {
          addName.run(text);
          id = (findName.get(text) as { id: number }).id;
          names.set(text, id);
        }
        return id;
      };
      const addFile = db.prepare("INSERT INTO file (path, size, mtime) VALUES (?, ?, ?)");
      const define = db.prepare("INSERT INTO definition VALUES (?, ?, ?, ?, ?, ?)");
      const refer = db.prepare("INSERT INTO reference VALUES (?, ?, ?)");
      const link = db.prepare("INSERT INTO import VALUES (?, ?, ?)");
      const alias = db.prepare("INSERT INTO alias VALUES (?, ?, ?)");
      for (const { path, size, mtimeMs, definitions, references, imports, aliases } of facts) {
        remove(path);
        const id = Number(addFile.run(path, size, mtimeMs).lastInsertRowid);
        for (const { name, kind, line, inside, signature } of definitions)
          define.run(id, nameId(name), kind, line, inside, signature);
        for (const [name, lines] of references) refer.run(nameId(name), id, lines.join(","));
        for (const [specifier, isReexport] of imports) link.run(id, specifier, Number(isReexport));
        for (const [specifier, target] of aliases) alias.run(id, specifier, target);
      }
    }),
  );
}
