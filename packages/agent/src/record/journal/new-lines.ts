// The lines passed to a journal for writing, without the fields that the journal assigns, and what it needs besides its
// store.

import type { BlobStore } from "../../base/blobs/store.ts";
import type { IntentLine, OutsideLine, TreeEntry } from "../../contract/journal.ts";

/** `none`: never fsync. `turn`: at each turn end. `intent`: also before each effect that must not run twice. */
export type SyncMode = "none" | "turn" | "intent";

/** What a journal needs besides its store. */
export interface JournalDeps {
  readonly blobs: BlobStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Generates candidates for entry ids (8 characters); see `idSource`. */
  readonly newId: () => string;
  readonly sync?: SyncMode | undefined;
}

/** `Omit`, applied to each member of a union separately. */
export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A tree entry without the fields that the journal assigns; `id` may come from `newId()`. */
export type NewEntry = DistributiveOmit<TreeEntry, "id" | "parentId" | "timestamp"> & { readonly id?: string };
/** A line outside the tree, without the fields that the journal assigns. */
export type NewLine = DistributiveOmit<Exclude<OutsideLine, { type: "seal" | "leaf" | "intent" }>, "timestamp">;
/** An effect that is about to happen, without the fields that the journal assigns. */
export type NewIntent = Omit<IntentLine, "type" | "id" | "for" | "timestamp"> & { readonly for?: string };
