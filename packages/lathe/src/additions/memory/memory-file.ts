// The database of memories: opened, created, and refused if it cannot be read. It is not a cache: nothing else has its
// content.

import { chmodSync, closeSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isMissingPackage, missingPackage } from "@lathe/agent/base";
import { messageOf } from "@lathe/llm";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { CliError, EXIT } from "../../platform/usage/exit.ts";

const VERSION = 1;
const SCHEMA = `
CREATE TABLE memory (id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, text TEXT NOT NULL, origin TEXT NOT NULL,
  session TEXT NOT NULL, entry TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX memory_of_project ON memory (project, id);
CREATE INDEX memory_of_session ON memory (session);
CREATE TABLE rests_on (memory INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE, path TEXT NOT NULL,
  digest TEXT NOT NULL, PRIMARY KEY (memory, path)) WITHOUT ROWID;
CREATE VIRTUAL TABLE word USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE TABLE project (path TEXT PRIMARY KEY, revision INTEGER NOT NULL DEFAULT 0, digest TEXT, made_of TEXT, made_at INTEGER,
  wanted INTEGER NOT NULL DEFAULT 0, lease TEXT, lease_until INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE session (path TEXT PRIMARY KEY, project TEXT NOT NULL, id TEXT NOT NULL, stamp TEXT NOT NULL, synopsis TEXT NOT NULL,
  at INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = ${VERSION};`;

/** How long to wait for another process that is writing. */
const PATIENCE_MS = 5_000;

/** The part of a database that memory uses; its errors are readable for the user. */
export interface MemoryDb {
  readonly prepare: (sql: string) => Pick<StatementSyncInstance, "get" | "all" | "run">;
  readonly exec: (sql: string) => void;
  readonly isTransaction: boolean;
  readonly close: () => void;
}

const DATABASE = "SQLite format 3\0";

/** Checks the file by its first bytes, because a session that does not use its memories never opens it. */
export function memoryFileProblem(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return undefined; // missing, or unreadable: opening it reports that
  }
  try {
    const start = Buffer.alloc(DATABASE.length);
    const got = readSync(fd, start, 0, start.length, 0);
    return got === 0 || start.toString("latin1") === DATABASE ? undefined : damagedText(file);
  } finally {
    closeSync(fd);
  }
}

export async function openMemoryFile(file: string): Promise<MemoryDb> {
  const { DatabaseSync } = await import("@photostructure/sqlite").catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error;
    throw new CliError(EXIT.failed, `${missingPackage("Memories", "@photostructure/sqlite")}.`);
  });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would make this file and its companions readable by everyone.
  writeFileSync(file, "", { flag: "a", mode: 0o600 });
  chmodSync(file, 0o600);
  return withReadableErrors(file, () =>
    prepare(withReadableErrorsDb(file, new DatabaseSync(file, { timeout: PATIENCE_MS }))),
  );
}

/** Wraps all operations, because a disk may fill up, or a page turn out to be damaged, at any time. */
function withReadableErrorsDb(file: string, db: DatabaseSyncInstance): MemoryDb {
  return {
    prepare: (sql) => {
      const statement = withReadableErrors(file, () => db.prepare(sql));
      return {
        get: (...values) => withReadableErrors(file, () => statement.get(...values)),
        all: (...values) => withReadableErrors(file, () => statement.all(...values)),
        run: (...values) => withReadableErrors(file, () => statement.run(...values)),
      };
    },
    exec: (sql) => withReadableErrors(file, () => db.exec(sql)),
    get isTransaction() {
      return db.isTransaction;
    },
    close: () => db.close(),
  };
}

function withReadableErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.failed, problemOf(file, error));
  }
}

function prepare(db: MemoryDb): MemoryDb {
  try {
    db.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;",
    );
    inTransaction(db, () => {
      const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
      if (version === 0) db.exec(SCHEMA);
      else if (version !== VERSION) throw new OtherVersion();
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs work atomically, even if the process is killed. No other process writes meanwhile. */
export function inTransaction<T>(db: MemoryDb, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite may have rolled back by itself.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

class OtherVersion extends Error {}

const SQLITE_BUSY = 5;
const FULL: ReadonlySet<number> = new Set([10, 13]); // SQLITE_IOERR, SQLITE_FULL
const DAMAGED: ReadonlySet<number> = new Set([11, 26]); // SQLITE_CORRUPT, SQLITE_NOTADB

const damagedText = (file: string): string =>
  `${file} is damaged. Restore it from a backup, or move it away to start over.`;

function problemOf(file: string, error: unknown): string {
  if (error instanceof OtherVersion)
    return `${file} was written by a newer version of Lathe. Update Lathe, or move the file away.`;
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  if (DAMAGED.has(code)) return damagedText(file);
  if (code === SQLITE_BUSY) return `${file} is being changed by another process. Try again when that is done.`;
  if (FULL.has(code)) return `${file} cannot be written: ${messageOf(error)}. Is the disk full?`;
  return `${file} cannot be used: ${messageOf(error)}`;
}
