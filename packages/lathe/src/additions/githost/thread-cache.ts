// A cache of issues, pull requests and diffs, separate for each token. A fresh text is returned as it is; an older one
// too, but it is fetched again for the next time; a very old one is fetched first. Stored in SQLite if that works here,
// otherwise in memory.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

export interface CachedText {
  readonly text: string;
  /** The host's answer from which the text was made. */
  readonly raw: string;
  /** The web page of the thread. */
  readonly page: string;
}

interface Row extends CachedText {
  /** The time when it was fetched. */
  readonly at: number;
}

interface Store {
  get(key: string, owner: string): Row | undefined;
  set(key: string, owner: string, row: Row): void;
  close(): void;
}

/** Ways to fetch a text: for a caller that waits, and in the background for the next one. */
interface Loads {
  readonly first: () => Promise<CachedText>;
  readonly again: () => Promise<CachedText>;
}

export interface CacheOptions {
  readonly file: string;
  readonly softMs: number;
  readonly hardMs: number;
  readonly now: () => number;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS thread (key TEXT NOT NULL, owner TEXT NOT NULL, text TEXT NOT NULL, raw TEXT NOT NULL,
  page TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key, owner)) WITHOUT ROWID;`;
/** How long to wait for another process that is writing. */
const PATIENCE_MS = 2_000;

export class ThreadCache {
  readonly #options: CacheOptions;
  #store: Promise<Store> | undefined;
  /** Fetches in progress in the background. */
  readonly #refreshing = new Map<string, Promise<void>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** `owner`: the fingerprint of the token. */
  async get(key: string, owner: string, { first, again }: Loads): Promise<CachedText> {
    const store = await this.#open();
    const { now, softMs, hardMs } = this.#options;
    const known = store.get(key, owner);
    const age = known === undefined ? Number.POSITIVE_INFINITY : now() - known.at;
    if (known === undefined || age >= hardMs) return this.#fetch(store, key, owner, first);
    if (age >= softMs) this.#refresh(store, key, owner, again);
    return known;
  }

  async close(): Promise<void> {
    await Promise.all(this.#refreshing.values());
    (await this.#store)?.close();
  }

  async #fetch(store: Store, key: string, owner: string, load: () => Promise<CachedText>): Promise<CachedText> {
    const fetched = await load();
    store.set(key, owner, { ...fetched, at: this.#options.now() });
    return fetched;
  }

  /** Fetches a text again, once at a time. If that fails, the old text stays, and the next reader tries again. */
  #refresh(store: Store, key: string, owner: string, load: () => Promise<CachedText>): void {
    const id = `${owner} ${key}`;
    if (this.#refreshing.has(id)) return;
    const done = this.#fetch(store, key, owner, load).then(
      () => void this.#refreshing.delete(id),
      () => void this.#refreshing.delete(id),
    );
    this.#refreshing.set(id, done);
  }

  #open(): Promise<Store> {
    this.#store ??= openStore(this.#options).catch(memoryStore);
    return this.#store;
  }
}

async function openStore({ file, hardMs, now }: CacheOptions): Promise<Store> {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite would make the file readable by everyone, and it may hold private issues.
  writeFileSync(file, "", { flag: "a", mode: 0o600 });
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`);
    db.prepare("DELETE FROM thread WHERE at <= ?").run(now() - hardMs);
    return databaseStore(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function databaseStore(db: DatabaseSyncInstance): Store {
  const find = db.prepare("SELECT text, raw, page, at FROM thread WHERE key = ? AND owner = ?");
  const keep = db.prepare("INSERT OR REPLACE INTO thread (key, owner, text, raw, page, at) VALUES (?, ?, ?, ?, ?, ?)");
  return {
    get: (key, owner) => find.get(key, owner) as Row | undefined,
    set: (key, owner, { text, raw, page, at }) => {
      try {
        keep.run(key, owner, text, raw, page, at);
      } catch {
        // A full disk or a lock only costs another request next time.
      }
    },
    close: () => db.close(),
  };
}

function memoryStore(): Store {
  const rows = new Map<string, Row>();
  return {
    get: (key, owner) => rows.get(`${owner} ${key}`),
    set: (key, owner, row) => void rows.set(`${owner} ${key}`, row),
    close: () => rows.clear(),
  };
}
