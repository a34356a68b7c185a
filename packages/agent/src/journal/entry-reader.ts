// Reads entries back from their lines on demand and keeps the last few parsed.

import type { BlobStore } from "../blobs/store.ts";
import { parseLine } from "./line.ts";
import type { EntryMeta, LineSpan } from "./line-index.ts";
import { repairMissing } from "./missing.ts";
import { fromStored, mentionsBlob } from "./payload.ts";
import type { JournalStore } from "./store.ts";
import type { JournalLoss, TreeEntry } from "./types.ts";

const RECENT_ENTRIES = 64;

export class EntryReader {
  readonly #blobs: BlobStore;
  readonly #losses: JournalLoss[];
  readonly #recent = new Map<string, TreeEntry>();

  constructor(blobs: BlobStore, losses: JournalLoss[]) {
    this.#blobs = blobs;
    this.#losses = losses;
  }

  entry(store: JournalStore, meta: EntryMeta): TreeEntry {
    const recent = this.#recent.get(meta.id);
    if (recent) return recent;
    // A parent that was lost has been replaced by the scan; the line still names the old one.
    const entry = { ...this.load(store, meta), parentId: meta.parentId } as TreeEntry;
    this.remember(entry);
    return entry;
  }

  remember(entry: TreeEntry): void {
    this.#recent.set(entry.id, entry);
    if (this.#recent.size <= RECENT_ENTRIES) return;
    const oldest = this.#recent.keys().next();
    if (!oldest.done) this.#recent.delete(oldest.value);
  }

  load(store: JournalStore, span: LineSpan): Record<string, unknown> {
    const line = store.read(span.offset, span.length);
    const stored = parseLine(line);
    if (!mentionsBlob(line)) return stored;
    const missing: string[] = [];
    const value = fromStored(stored, this.#blobs, (hash) => missing.push(hash)) as Record<string, unknown>;
    for (const hash of missing) this.#report(hash, String(stored["id"]));
    return missing.length === 0 ? value : repairMissing(value);
  }

  #report(hash: string, id: string): void {
    const message = `A stored part of entry ${id} is missing (blob ${hash}); the session goes on without it.`;
    if (this.#losses.some((loss) => loss.message === message)) return;
    this.#losses.push({ kind: "missing_blob", line: 0, bytes: 0, message });
  }
}
