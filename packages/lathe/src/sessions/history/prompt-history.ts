// The prompts users typed, across all sessions and directories, so that they can find them again. This is a
// convenience: the sessions themselves are in their journals, and an unusable file is set aside (decision 0133).

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "@lathe/llm";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

type Sqlite = typeof import("@photostructure/sqlite");

/** A prompt from earlier. */
export interface EarlierPrompt {
  readonly prompt: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cwd: string;
}

export interface PromptHistoryParts {
  readonly file: string;
  readonly now: () => number;
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string;
}

const SCHEMA = `
CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL, created_at INTEGER NOT NULL, cwd TEXT NOT NULL);
CREATE VIRTUAL TABLE history_fts USING fts5 (prompt, content='history', content_rowid='id', tokenize='unicode61 remove_diacritics 0');
CREATE TRIGGER history_added AFTER INSERT ON history BEGIN
  INSERT INTO history_fts (rowid, prompt) VALUES (new.id, new.prompt);
END;
CREATE TRIGGER history_removed AFTER DELETE ON history BEGIN
  INSERT INTO history_fts (history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
END;
PRAGMA user_version = 1;`;

/** Older prompts are dropped. */
const MOST_KEPT = 20_000;
/** Longer ones are not kept: users do not search their history for a pasted file. */
const LONGEST_CHARS = 20_000;
/** Time to wait for another process that is writing. */
const PATIENCE_MS = 2_000;
const UNUSABLE = new Set([11, 26]); // SQLITE_CORRUPT, SQLITE_NOTADB

export class PromptHistory {
  readonly #parts: PromptHistoryParts;
  #db: Promise<DatabaseSyncInstance> | undefined;
  #last: string | undefined;
  #waiting: Promise<unknown> = Promise.resolve();
  /** Why prompts are no longer saved. */
  #problem: string | undefined;

  constructor(parts: PromptHistoryParts) {
    this.#parts = parts;
  }

  /** One line, after something could not be saved or read. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Returns at once; the write happens later, so that input never waits for the disk. A repetition of the last prompt
   * is not saved again.
   */
  add(prompt: string, cwd: string): void {
    const text = this.#parts.redact(prompt.trim());
    if (text === "" || text.length > LONGEST_CHARS || text === this.#last) return;
    this.#last = text;
    const at = this.#parts.now();
    this.#later((db) => insert(db, { prompt: text, at, cwd }));
  }

  /** Newest first, without duplicates; with `cwd`, only those of that directory. */
  recent(most: number, cwd?: string): Promise<readonly EarlierPrompt[]> {
    const where = cwd === undefined ? "" : "WHERE cwd = ?";
    const sql = `SELECT prompt, max(created_at) AS at, cwd FROM history ${where} GROUP BY prompt ORDER BY max(id) DESC LIMIT ?`;
    return this.#read(sql, cwd === undefined ? [most] : [cwd, most]);
  }

  /** Prompts with words that begin with each of these, newest first. */
  async search(words: string, most: number): Promise<readonly EarlierPrompt[]> {
    const query = words
      .match(/[\p{L}\p{N}_]+/gu)
      ?.map((word) => `"${word}"*`)
      .join(" ");
    if (query === undefined) return words.trim() === "" ? this.recent(most) : [];
    return this.#read(
      `SELECT history.prompt, max(created_at) AS at, cwd FROM history_fts JOIN history ON history.id = history_fts.rowid
       WHERE history_fts MATCH ? GROUP BY history.prompt ORDER BY max(history.id) DESC LIMIT ?`,
      [query, most],
    );
  }

  /** Resolves when everything added is on disk, or cannot be written. */
  async flush(): Promise<void> {
    await this.#waiting;
  }

  async close(): Promise<void> {
    await this.flush();
    const db = this.#db;
    this.#db = undefined;
    (await db?.catch(() => undefined))?.close();
  }

  async #read(sql: string, values: (string | number)[]): Promise<readonly EarlierPrompt[]> {
    await this.flush();
    try {
      return (await this.#open()).prepare(sql).all(...values) as unknown as EarlierPrompt[];
    } catch (error) {
      this.#recordFailure(error);
      return [];
    }
  }

  #later(work: (db: DatabaseSyncInstance) => void): void {
    this.#waiting = this.#waiting
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(async () => work(await this.#open()))
      .catch((error: unknown) => this.#recordFailure(error));
  }

  /** A full disk or a locked file only costs the prompt history, never a session. */
  #recordFailure(error: unknown): void {
    this.#problem = `Prompts are not being saved: ${messageOf(error)}`;
  }

  #open(): Promise<DatabaseSyncInstance> {
    this.#db ??= import("@photostructure/sqlite").then((sqlite) => openFile(sqlite, this.#parts.file));
    return this.#db;
  }
}

function insert(db: DatabaseSyncInstance, { prompt, at, cwd }: EarlierPrompt): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const last = db.prepare("SELECT prompt FROM history ORDER BY id DESC LIMIT 1").get() as
      | { prompt: string }
      | undefined;
    if (last?.prompt !== prompt) {
      const { lastInsertRowid } = db
        .prepare("INSERT INTO history (prompt, created_at, cwd) VALUES (?, ?, ?)")
        .run(prompt, at, cwd);
      db.prepare("DELETE FROM history WHERE id <= ?").run(Number(lastInsertRowid) - MOST_KEPT);
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function openFile(sqlite: Sqlite, file: string): DatabaseSyncInstance {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return openDatabase(sqlite, file);
  } catch (error) {
    if (!UNUSABLE.has(((error as { errcode?: number }).errcode ?? 0) & 0xff)) throw error;
    renameSync(file, `${file}.damaged`);
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return openDatabase(sqlite, file);
  }
}

function openDatabase({ DatabaseSync }: Sqlite, file: string): DatabaseSyncInstance {
  // SQLite would create a file that everyone can read.
  writeFileSync(file, "", { flag: "a", mode: 0o600 });
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;");
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    db.exec(version === 0 ? `${SCHEMA} COMMIT;` : "COMMIT;");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
