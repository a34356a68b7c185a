// The file of the search index: opens it, creates it, and rebuilds it if it is damaged or of another version.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

export type Sqlite = typeof import("@photostructure/sqlite");

const VERSION = 3;
/** Memory for words before they are written. It is large, because the first indexing takes long. */
const HASH_BYTES = 16 << 20;
/**
 * The id of a line is its file's id, shifted by this, plus a running number: so a hit gives its file without a lookup.
 */
export const LINE_BITS = 24;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS folder (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp REAL);
CREATE TABLE IF NOT EXISTS file (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, path TEXT NOT NULL UNIQUE,
  session INTEGER, bytes INTEGER DEFAULT 0, mtime REAL DEFAULT 0, next INTEGER DEFAULT 0, lines INTEGER DEFAULT 0);
CREATE INDEX IF NOT EXISTS file_of_folder ON file (folder);
CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, offset INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
INSERT INTO word (word, rank) VALUES ('hashsize', ${HASH_BYTES});
PRAGMA user_version = ${VERSION};`;

/**
 * Time to wait for another process that is writing. A process that indexes a hundred megabytes for the first time is
 * not worth waiting for.
 */
const PATIENCE_MS = 300;

/**
 * Opens, uses and closes the index. If damage only shows in use, this search fails and the next one rebuilds the index.
 */
export function withIndexFile<T>(sqlite: Sqlite, file: string, use: (db: DatabaseSyncInstance) => T): T {
  const db = open(sqlite, file);
  try {
    return use(db);
  } catch (error) {
    if (isUnusable(error)) remove(file);
    throw error;
  } finally {
    db.close();
  }
}

function open({ DatabaseSync }: Sqlite, file: string): DatabaseSyncInstance {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const attempt = (): DatabaseSyncInstance => {
    // SQLite would create a file that everyone can read.
    writeFileSync(file, "", { flag: "a", mode: 0o600 });
    return prepare(new DatabaseSync(file, { timeout: PATIENCE_MS }));
  };
  try {
    return attempt();
  } catch (error) {
    if (!isUnusable(error)) throw error;
    remove(file);
    return attempt();
  }
}

function prepare(db: DatabaseSyncInstance): DatabaseSyncInstance {
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
    else if (version !== VERSION) throw new OtherVersion();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class OtherVersion extends Error {}

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** Extended codes hold more detail in their upper bytes. */
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** Whether the file must be deleted because its contents cannot be read. */
function isUnusable(error: unknown): boolean {
  return error instanceof OtherVersion || [SQLITE_CORRUPT, SQLITE_NOTADB].includes(codeOf(error));
}

/** Whether nothing can be written at the moment, while the contents can still be read. */
export const isUnwritable = (error: unknown): boolean =>
  isBusy(error) || [SQLITE_READONLY, SQLITE_FULL].includes(codeOf(error));

/** Whether another process is writing. */
export const isBusy = (error: unknown): boolean => codeOf(error) === SQLITE_BUSY;

function remove(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}
