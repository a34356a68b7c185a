// Full-text index of all journals: a projection in one SQLite file that may be deleted at any time. Journals only grow, so
// each is read on from where it was left. The text itself is not kept, only where its line stands.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type BlobStore, decodeLine, readLines } from "@lathe/agent";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { SessionFile } from "./files.ts";
import { spaced } from "./search-query.ts";
import { isSearched, searchText } from "./search-text.ts";

export interface IndexedFile extends SessionFile {
  /** The session this journal belongs to: itself, or the one whose subagent wrote it. */
  readonly session: string;
}

/** Where a hit stands. */
export interface IndexHit {
  readonly session: string;
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

const VERSION = 1;
/** Words held in memory before they are written: large, because the first indexing is what takes long. */
const HASH_BYTES = 16 << 20;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session TEXT NOT NULL,
  bytes INTEGER NOT NULL, mtime REAL NOT NULL, next INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS line_of_file ON line (file);
CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
INSERT INTO word (word, rank) VALUES ('hashsize', ${HASH_BYTES});
PRAGMA user_version = ${VERSION};`;

const HITS = `
WITH hit AS MATERIALIZED (SELECT rowid AS id, rank AS score FROM word WHERE word MATCH ?)
SELECT file.session, file.path, line.offset, line.bytes, min(hit.score) AS best
FROM hit JOIN line ON line.id = hit.id JOIN file ON file.id = line.file
GROUP BY file.session ORDER BY best, file.mtime DESC LIMIT ?`;

/** Another process may be indexing; it commits in small steps. */
const PATIENCE_MS = 2000;
/** Read between two commits. */
const STEP_BYTES = 8 << 20;

type Sqlite = typeof import("@photostructure/sqlite");

/** Opens, uses and closes the index; damage that shows only in use costs this search, and the next one starts anew. */
export function withSearchIndex<T>(sqlite: Sqlite, file: string, blobs: BlobStore, use: (index: SearchIndex) => T): T {
  const index = new SearchIndex(sqlite, file, blobs);
  try {
    return use(index);
  } catch (error) {
    if (isUnusable(error)) remove(file);
    throw error;
  } finally {
    index.close();
  }
}

export class SearchIndex {
  readonly #db: DatabaseSyncInstance;
  readonly #blobs: BlobStore;

  /** An index of another version or a damaged one is made anew. */
  constructor({ DatabaseSync }: Sqlite, file: string, blobs: BlobStore) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, "", { flag: "a", mode: 0o600 });
    this.#blobs = blobs;
    const open = (): DatabaseSyncInstance => prepare(new DatabaseSync(file, { timeout: PATIENCE_MS }));
    try {
      this.#db = open();
    } catch (error) {
      if (!isUnusable(error)) throw error;
      remove(file);
      this.#db = open();
    }
  }

  /** Brings the index up to what the files hold now. `started` is called when there is much to read. */
  update(files: readonly IndexedFile[], started: (bytes: number) => void): void {
    const known = this.#known();
    const changed = files.filter(({ path, bytes, mtimeMs }) => {
      const row = known.get(path);
      return !row || row.bytes !== bytes || row.mtime !== mtimeMs;
    });
    const present = new Set(files.map(({ path }) => path));
    const gone = [...known].filter(([path]) => !present.has(path));
    if (changed.length === 0 && gone.length === 0) return;
    const unread = changed.reduce((sum, file) => sum + file.bytes - (known.get(file.path)?.next ?? 0), 0);
    if (unread > STEP_BYTES) started(unread);
    this.#inSteps([
      ...gone.map(([, row]) => ({ bytes: 0, work: () => this.#forget(row.id) })),
      ...changed.map((file) => ({ bytes: file.bytes, work: () => this.#read(file, known.get(file.path)) })),
    ]);
  }

  /** The best hit of each session, best session first. */
  search(fts: string, limit: number): IndexHit[] {
    return this.#db.prepare(HITS).all(fts, limit) as unknown as IndexHit[];
  }

  close(): void {
    this.#db.close();
  }

  #known(): Map<string, KnownFile> {
    const rows = this.#db.prepare("SELECT id, path, bytes, mtime, next FROM file").all() as unknown as KnownFile[];
    return new Map(rows.map((row) => [row.path, row]));
  }

  /** A file is indexed by one transaction, so that what is counted as read is in the index. */
  #inSteps(steps: readonly { readonly bytes: number; readonly work: () => void }[]): void {
    let bytes = 0;
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      for (const step of steps) {
        step.work();
        bytes += step.bytes;
        if (bytes < STEP_BYTES) continue;
        bytes = 0;
        this.#db.exec("COMMIT; BEGIN IMMEDIATE");
      }
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #read(file: IndexedFile, known: KnownFile | undefined): void {
    const current = this.#db.prepare("SELECT next FROM file WHERE path = ?").get(file.path);
    // Another process has read it since we looked.
    if (current && current["next"] !== known?.next) return;
    const isOther = known !== undefined && known.next > file.bytes;
    if (isOther) this.#forget(known.id);
    const { id, next: from } = known && !isOther ? known : { id: this.#addFile(file), next: 0 };
    const addLine = this.#db.prepare("INSERT INTO line (file, offset, bytes) VALUES (?, ?, ?)");
    const addText = this.#db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)");
    const next = readLines(file.path, from, (line, offset) => {
      if (!isSearched(line)) return;
      const text = searchText(decodeLine(line, this.#blobs));
      if (text === "") return;
      const { lastInsertRowid } = addLine.run(id, offset, line.length);
      addText.run(lastInsertRowid, spaced(text));
    });
    const done = this.#db.prepare("UPDATE file SET bytes = ?, mtime = ?, next = ? WHERE id = ?");
    done.run(file.bytes, file.mtimeMs, next, id);
  }

  #addFile(file: IndexedFile): number {
    const add = this.#db.prepare("INSERT INTO file (path, session, bytes, mtime, next) VALUES (?, ?, 0, 0, 0)");
    return Number(add.run(file.path, file.session).lastInsertRowid);
  }

  #forget(id: number): void {
    this.#db.prepare("DELETE FROM word WHERE rowid IN (SELECT id FROM line WHERE file = ?)").run(id);
    this.#db.prepare("DELETE FROM line WHERE file = ?").run(id);
    this.#db.prepare("DELETE FROM file WHERE id = ?").run(id);
  }
}

interface KnownFile {
  readonly id: number;
  readonly path: string;
  readonly bytes: number;
  readonly mtime: number;
  /** Where reading goes on. */
  readonly next: number;
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

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** The file must go: what it holds cannot be read. */
function isUnusable(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return error instanceof OtherVersion || code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

function remove(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}
