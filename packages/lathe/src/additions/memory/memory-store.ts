// Memories in SQLite: added, searched by words, changed and deleted. Several processes may use one file at a time.

import { spaceOut } from "../../sessions/search-query.ts";
import type { Memory, MemoryOrigin, NewMemory, RestsOn } from "./memory.ts";
import { inTransaction, type MemoryDb } from "./memory-file.ts";
import { anyOfWords, shareOfWords } from "./search-words.ts";

export interface FoundMemory extends Memory {
  /** The share of the searched words that it contains. */
  readonly score: number;
}

interface Row {
  readonly id: number;
  readonly project: string;
  readonly text: string;
  readonly origin: string;
  readonly session: string;
  readonly entry: string;
  readonly at: number;
}

const COLUMNS = "memory.id, memory.project, memory.text, memory.origin, memory.session, memory.entry, memory.at";
const SEARCH = `SELECT ${COLUMNS} FROM word JOIN memory ON memory.id = word.rowid
  WHERE word MATCH ? AND memory.project IN (SELECT value FROM json_each(?)) ORDER BY word.rank LIMIT ?`;
const LIST = `SELECT ${COLUMNS} FROM memory WHERE project IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?`;
const FILES = `SELECT memory, path, digest FROM rests_on WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY path`;
/** The new time must be after the digest's, whichever clock that came from. */
const UPDATE = `UPDATE memory SET text = ?, session = ?, entry = ?,
  at = max(?, at + 1, (SELECT ifnull(made_at, 0) + 1 FROM project WHERE path = memory.project)) WHERE id = ?`;

export class MemoryStore {
  readonly db: MemoryDb;

  constructor(db: MemoryDb) {
    this.db = db;
  }

  /** Returns the id. If the project already has the same text, its id is returned and its files are updated. */
  add(memory: NewMemory): number {
    return this.change(memory.project, () => {
      const known = this.#idOf(memory.project, memory.text);
      if (known !== undefined) {
        this.#setFiles(known, memory.files);
        return known;
      }
      return this.insert(memory);
    });
  }

  /** Whether the project has this text, possibly from another session. */
  has({ project, text }: Pick<NewMemory, "project" | "text">): boolean {
    return this.#idOf(project, text) !== undefined;
  }

  /** Call only inside `change`. */
  insert({ project, text, origin, session, entry, at, files }: NewMemory): number {
    const { lastInsertRowid } = this.db
      .prepare("INSERT INTO memory (project, text, origin, session, entry, at) VALUES (?, ?, ?, ?, ?, ?)")
      .run(project, text, origin, session, entry, at);
    const id = Number(lastInsertRowid);
    this.#index(id, text);
    this.#setFiles(id, files);
    return id;
  }

  /** Call only inside `change`. */
  remove(ids: readonly number[]): void {
    const json = JSON.stringify(ids);
    this.db.prepare("DELETE FROM word WHERE rowid IN (SELECT value FROM json_each(?))").run(json);
    this.db.prepare("DELETE FROM memory WHERE id IN (SELECT value FROM json_each(?))").run(json);
  }

  /** False if it was deleted meanwhile. */
  update({ id, project }: Memory, next: Pick<NewMemory, "text" | "session" | "entry" | "at" | "files">): boolean {
    return this.change(project, () => {
      const { changes } = this.db.prepare(UPDATE).run(next.text, next.session, next.entry, next.at, id);
      if (changes === 0) return false;
      this.db.prepare("DELETE FROM word WHERE rowid = ?").run(id);
      this.#index(id, next.text);
      this.#setFiles(id, next.files);
      return true;
    });
  }

  forget({ id, project }: Memory): void {
    this.change(project, () => this.remove([id]));
    this.#wipe();
  }

  /** Memories of these projects, best first. */
  search(question: string, projects: readonly string[], most: number): readonly FoundMemory[] {
    const words = anyOfWords(question);
    if (words === undefined) return [];
    const rows = this.db.prepare(SEARCH).all(words, JSON.stringify(projects), most) as unknown as Row[];
    return this.#withFiles(rows).map((memory) => ({ ...memory, score: shareOfWords(question, memory.text) }));
  }

  /** Newest first. */
  list(projects: readonly string[], most: number): readonly Memory[] {
    return this.#withFiles(this.db.prepare(LIST).all(JSON.stringify(projects), most) as unknown as Row[]);
  }

  /** Undefined unless it belongs to one of these projects. */
  get(id: number, projects: readonly string[]): Memory | undefined {
    const row = this.db.prepare(`SELECT ${COLUMNS} FROM memory WHERE id = ?`).get(id) as Row | undefined;
    return row && projects.includes(row.project) ? this.#withFiles([row])[0] : undefined;
  }

  count(project: string): number {
    return (this.db.prepare("SELECT count(*) AS n FROM memory WHERE project = ?").get(project) as { n: number }).n;
  }

  /** Deletes everything stored about a project except its lease. */
  clear(project: string): void {
    this.change(project, () => {
      const ids = this.db.prepare("SELECT id FROM memory WHERE project = ?").all(project) as unknown as {
        id: number;
      }[];
      this.remove(ids.map(({ id }) => id));
      this.db.prepare("DELETE FROM session WHERE project = ?").run(project);
      this.db
        .prepare("UPDATE project SET digest = NULL, made_of = NULL, made_at = NULL, wanted = 0 WHERE path = ?")
        .run(project);
    });
    this.#wipe();
  }

  projects(): readonly string[] {
    const rows = this.db.prepare("SELECT path FROM project ORDER BY path").all() as unknown as { path: string }[];
    return rows.map(({ path }) => path);
  }

  /** Changes a project's memories atomically. This invalidates earlier digests. */
  change<T>(project: string, work: () => T): T {
    return inTransaction(this.db, () => {
      this.db
        .prepare(
          "INSERT INTO project (path, revision) VALUES (?, 1) ON CONFLICT (path) DO UPDATE SET revision = revision + 1",
        )
        .run(project);
      return work();
    });
  }

  /** Changes with every change of the project's memories. */
  revision(project: string): number {
    const row = this.db.prepare("SELECT revision FROM project WHERE path = ?").get(project);
    return (row as { revision: number } | undefined)?.revision ?? 0;
  }

  /** Deleted words stay in the index until it is optimized, and old pages in the log. */
  #wipe(): void {
    this.db.exec("INSERT INTO word (word) VALUES ('optimize')");
    this.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  #index(id: number, text: string): void {
    this.db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)").run(id, spaceOut(text));
  }

  #idOf(project: string, text: string): number | undefined {
    const row = this.db.prepare("SELECT id FROM memory WHERE project = ? AND text = ?").get(project, text);
    return (row as { id: number } | undefined)?.id;
  }

  #setFiles(id: number, files: readonly RestsOn[]): void {
    this.db.prepare("DELETE FROM rests_on WHERE memory = ?").run(id);
    const insert = this.db.prepare("INSERT OR REPLACE INTO rests_on (memory, path, digest) VALUES (?, ?, ?)");
    for (const { path, digest } of files) insert.run(id, path, digest);
  }

  #withFiles(rows: readonly Row[]): Memory[] {
    if (rows.length === 0) return [];
    const found = this.db.prepare(FILES).all(JSON.stringify(rows.map(({ id }) => id)));
    const files = new Map<number, RestsOn[]>(rows.map(({ id }) => [id, []]));
    for (const { memory, path, digest } of found as unknown as (RestsOn & { memory: number })[])
      files.get(memory)?.push({ path, digest });
    return rows.map((row) => ({
      ...row,
      origin: row.origin as MemoryOrigin,
      files: files.get(row.id) ?? [],
    }));
  }
}
