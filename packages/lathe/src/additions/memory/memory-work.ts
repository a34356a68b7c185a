// State of making memories, stored with them: which sessions were read, the digest of all memories, and which process
// is working. It is in the same database, so that each step is atomic.

import { processStartTime } from "@lathe/agent/record";
import { parseJson } from "@lathe/llm";
import { Checker, integer, listOf, object, type Static, text } from "@lathe/llm/schema";
import type { NewMemory } from "./memory.ts";
import { inTransaction } from "./memory-file.ts";
import type { MemoryStore } from "./memory-store.ts";

/** The process that makes memories of a project. */
export interface LeaseOwner {
  readonly pid: number;
  readonly host: string;
  readonly startTime: string;
  /** Different each time, because a process may ask twice. */
  readonly token: string;
}

/** Longer than any request; each step renews it. */
const LEASE_MS = 10 * 60_000;
/** A clock that is this far ahead is wrong, and its lease would last almost forever. */
const MOST_AHEAD_MS = 24 * 3_600_000;

const item = object({ text: text(), from: listOf(integer()) });
const digest = object({
  /** The memories that it was made from. */
  of: listOf(integer()),
  summary: listOf(item),
  sections: listOf(object({ title: text(), items: listOf(item) })),
  playbooks: listOf(object({ name: text(), about: text(), body: text(), from: listOf(integer()) })),
});
export type Digest = Static<typeof digest>;
const digestChecker = new Checker<Digest>(digest);
const ownerChecker = new Checker<LeaseOwner>(
  object({ pid: integer(), host: text(), startTime: text(), token: text() }),
);

export interface ReadSession {
  readonly path: string;
  readonly id: string;
  /** Size and time of its file when it was read. */
  readonly stamp: string;
  readonly synopsis: string;
}

export class MemoryWork {
  readonly #store: MemoryStore;
  readonly #project: string;

  constructor(store: MemoryStore, project: string) {
    this.#store = store;
    this.#project = project;
  }

  /** False while another live process holds it. Taking it again extends it. */
  takeLease(owner: LeaseOwner, now: number): boolean {
    const { db } = this.#store;
    return inTransaction(db, () => {
      db.prepare("INSERT OR IGNORE INTO project (path) VALUES (?)").run(this.#project);
      const row = db.prepare("SELECT lease, lease_until FROM project WHERE path = ?").get(this.#project) as {
        lease: string | null;
        lease_until: number;
      };
      const holder = row.lease === null ? undefined : parseJson(row.lease);
      const left = row.lease_until - now;
      const isHeld = left > 0 && left <= LEASE_MS + MOST_AHEAD_MS;
      if (ownerChecker.fits(holder) && isHeld && holder.token !== owner.token && !isGone(holder, owner)) return false;
      db.prepare("UPDATE project SET lease = ?, lease_until = ? WHERE path = ?").run(
        JSON.stringify(owner),
        now + LEASE_MS,
        this.#project,
      );
      return true;
    });
  }

  releaseLease(owner: LeaseOwner): void {
    this.#store.db
      .prepare("UPDATE project SET lease = NULL, lease_until = 0 WHERE path = ? AND lease = ?")
      .run(this.#project, JSON.stringify(owner));
  }

  /** Undefined if the session was never read. */
  stampOf(path: string): string | undefined {
    return (
      this.#store.db.prepare("SELECT stamp FROM session WHERE path = ?").get(path) as { stamp: string } | undefined
    )?.stamp;
  }

  /**
   * Replaces the memories from an earlier reading of this session. Returns how many are new: those that another session
   * left already are not stored twice.
   */
  keepSession({ path, id, stamp, synopsis }: ReadSession, memories: readonly NewMemory[], at: number): number {
    const { db } = this.#store;
    return this.#store.change(this.#project, () => {
      const earlier = db
        .prepare("SELECT id FROM memory WHERE session = ? AND origin = 'extracted' AND project = ?")
        .all(id, this.#project) as unknown as { id: number }[];
      this.#store.remove(earlier.map((row) => row.id));
      const fresh = memories.filter((memory) => {
        if (this.#store.has(memory)) return false;
        this.#store.insert(memory);
        return true;
      });
      db.prepare(
        "INSERT OR REPLACE INTO session (path, project, id, stamp, synopsis, at) VALUES (?, ?, ?, ?, ?, ?)",
      ).run(path, this.#project, id, stamp, synopsis, at);
      return fresh.length;
    });
  }

  /** Newest first. */
  synopses(most: number): readonly string[] {
    const rows = this.#store.db
      .prepare("SELECT synopsis FROM session WHERE project = ? AND synopsis <> '' ORDER BY at DESC LIMIT ?")
      .all(this.#project, most) as unknown as { synopsis: string }[];
    return rows.map(({ synopsis }) => synopsis);
  }

  /** `madeOf`: identifies the memories and synopses that it was made from. */
  keepDigest(made: Digest, madeOf: string, at: number): void {
    this.#store.change(this.#project, () => {
      this.#store.db
        .prepare("UPDATE project SET digest = ?, made_of = ?, made_at = ?, wanted = 0 WHERE path = ?")
        .run(JSON.stringify(made), madeOf, at, this.#project);
    });
  }

  digest(): { readonly digest: Digest; readonly madeOf: string; readonly at: number } | undefined {
    const row = this.#store.db
      .prepare("SELECT digest, made_of, made_at FROM project WHERE path = ?")
      .get(this.#project) as { digest: string | null; made_of: string; made_at: number } | undefined;
    const made = row?.digest ? parseJson(row.digest) : undefined;
    return row && digestChecker.fits(made) ? { digest: made, madeOf: row.made_of, at: row.made_at } : undefined;
  }

  /** Whether the user wants the digest to be made again. */
  get isWanted(): boolean {
    const row = this.#store.db.prepare("SELECT wanted FROM project WHERE path = ?").get(this.#project);
    return (row as { wanted: number } | undefined)?.wanted === 1;
  }

  requestRebuild(): void {
    this.#store.db
      .prepare("INSERT INTO project (path, wanted) VALUES (?, 1) ON CONFLICT (path) DO UPDATE SET wanted = 1")
      .run(this.#project);
  }
}

/** A process on another machine cannot be checked: its lease expires. */
const isGone = (holder: LeaseOwner, { host }: LeaseOwner): boolean =>
  holder.host === host && processStartTime(holder.pid) !== holder.startTime;
