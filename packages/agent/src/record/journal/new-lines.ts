// What is given to a journal to write: lines without what the journal assigns, and what it needs besides its store.

import type { BlobStore } from "../../base/blobs/store.ts";
import type { IntentLine, OutsideLine, TreeEntry } from "../../contract/journal.ts";

/** `none`: never fsync. `turn`: at each turn end. `intent`: also before each effect that must not run twice. */
export type SyncMode = "none" | "turn" | "intent";

/** What a journal needs besides its store. */
export interface JournalDeps {
  readonly blobs: BlobStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Candidates for entry ids (8 characters); see `idSource`. */
  readonly newId: () => string;
  readonly sync?: SyncMode | undefined;
}

/** `Omit` for each member of a union by itself. */
export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A tree entry without what the journal assigns; `id` may be one from `newId()`. */
export type NewEntry = DistributiveOmit<TreeEntry, "id" | "parentId" | "timestamp"> & { readonly id?: string };
/** A line outside the tree, without what the journal assigns. */
export type NewLine = DistributiveOmit<Exclude<OutsideLine, { type: "seal" | "leaf" | "intent" }>, "timestamp">;
/** An effect that is about to happen, without what the journal assigns. */
export type NewIntent = Omit<IntentLine, "type" | "id" | "for" | "timestamp"> & { readonly for?: string };
