// Shared by every way of opening a journal.

import { type BlobStore, MemoryBlobs } from "../../base/blobs/store.ts";
import type { SessionDeps } from "../../base/time/deadline.ts";
import { hasBegun } from "./has-begun.ts";
import type { NewHeader } from "./header.ts";
import { idSource } from "./ids.ts";
import { Journal } from "./journal.ts";
import type { JournalDeps, SyncMode } from "./new-lines.ts";
import { type JournalStore, MemoryStore } from "./store.ts";

/** What a journal needs besides its store. */
export function journalDepsOf(
  blobs: BlobStore,
  { now, random }: Pick<SessionDeps, "now" | "random">,
  sync?: SyncMode,
): JournalDeps {
  return { blobs, now, newId: idSource(random), ...(sync === undefined ? {} : { sync }) };
}

/** A new journal that is only kept in memory. */
export function newMemoryJournal(
  deps: Pick<SessionDeps, "now" | "random" | "uuid">,
  cwd: string,
  store = new MemoryStore(),
): Journal {
  return Journal.create({ id: deps.uuid(), cwd }, () => store, journalDepsOf(new MemoryBlobs(), deps));
}

/** Opens the session at the path, or creates one. */
export function openOrBegin(
  path: string,
  header: NewHeader,
  openStore: () => JournalStore,
  deps: JournalDeps,
): Journal {
  return hasBegun(path) ? Journal.open(openStore(), deps) : Journal.create(header, openStore, deps);
}
