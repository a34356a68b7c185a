// Deterministic deps for journal tests, and the two kinds of store behind one interface.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { idSource } from "../../src/record/journal/ids.ts";
import { type LockOwner, processStartTime } from "../../src/record/journal/lock.ts";
import type { JournalDeps } from "../../src/record/journal/new-lines.ts";
import { type JournalStore, MemoryStore } from "../../src/record/journal/store.ts";

/** Mulberry32: the same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function testDeps(overrides: Partial<JournalDeps> = {}): JournalDeps {
  let clock = Date.UTC(2026, 0, 2, 3, 4, 5);
  return { blobs: new MemoryBlobs(), now: () => clock++, newId: idSource(seeded(7)), ...overrides };
}

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lathe-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let tokens = 0;
export function testOwner(): LockOwner {
  return { pid: process.pid, startTime: processStartTime(process.pid), host: "here", token: `t${tokens++}` };
}

export interface StoreKind {
  readonly name: string;
  /** `reopen` closes nothing; it opens the same bytes again. */
  make(): { open(): JournalStore };
}

export const storeKinds: readonly StoreKind[] = [
  {
    name: "memory",
    make() {
      let last: MemoryStore | undefined;
      return {
        open() {
          last = new MemoryStore(last ? last.read(0, last.size) : "");
          return last;
        },
      };
    },
  },
  {
    name: "file",
    make() {
      const path = join(tempFolder(), "deep", "session.jsonl");
      return { open: () => new FileStore(path, { owner: testOwner(), create: true }) };
    },
  },
];
