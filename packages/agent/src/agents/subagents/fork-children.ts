// When a session is forked, each of its children gets a copy of its journal up to the last moment that the copied
// history knows of, so that the copy can send it further input.

import { forkJournal } from "../../record/journal/fork.ts";
import { Journal } from "../../record/journal/journal.ts";
import type { JournalDeps } from "../../record/journal/new-lines.ts";
import type { JournalStore } from "../../record/journal/store.ts";
import { copyRecords } from "./records.ts";

/**
 * Where the journals of children are stored, by id. All descendants of a session share one store. Closing a journal
 * takes effect at once.
 */
export interface ChildStores {
  /** Opens a journal for reading; undefined if it does not exist. */
  read(agentId: string): JournalStore | undefined;
  /** Creates an empty journal. */
  create(agentId: string): JournalStore;
}

/** `copy` has a part of the entries of `source`. Nested children are copied too. */
export function forkChildren(
  source: Journal,
  copy: Journal,
  stores: ChildStores,
  deps: JournalDeps & { readonly uuid: () => string },
): void {
  for (const { agentId, knownUntil } of copyRecords(source, copy)) {
    const from = stores.read(agentId);
    if (!from) continue;
    const to = stores.create(agentId);
    const child = Journal.open(from, deps);
    const { cwd, parentCall } = child.header;
    const header = { id: deps.uuid(), cwd, agentId, ...(parentCall === undefined ? {} : { parentCall }) };
    const upTo = knownUntil === undefined ? child.leaf : lastUntil(child, knownUntil);
    forkChildren(child, forkJournal(child, { upTo, header, store: to }, deps), stores, deps);
    void from.close();
    void to.close();
  }
}

/** Entries are ordered by time. */
function lastUntil(journal: Journal, time: string): string | null {
  let last: string | null = null;
  for (const id of journal.entryIds()) {
    if (journal.entry(id).timestamp > time) break;
    last = id;
  }
  return last;
}
