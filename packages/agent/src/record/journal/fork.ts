// A new journal that begins with a part of another one. The other file is only read.

import { pathTo } from "./context.ts";
import { type NewHeader, newHeader } from "./header.ts";
import { Journal } from "./journal.ts";
import { encodeLine } from "./line.ts";
import type { JournalDeps } from "./new-lines.ts";
import type { JournalStore } from "./store.ts";
import { isoTime } from "./timestamp.ts";

/** How much of the other journal to take, and where the copy is written. */
export interface ForkOptions {
  /** The last entry to copy; null for none. */
  readonly upTo: string | null;
  readonly header: NewHeader;
  /** An empty store. */
  readonly store: JournalStore;
}

/**
 * Copies the path to `upTo` with its ids. Labels are not copied as entries: each label whose entry was copied is
 * written once at the end. The prefix is copied, so that the fork's requests begin the same, and so are the snapshots,
 * so that the fork can be rewound.
 */
export function forkJournal(source: Journal, options: ForkOptions, deps: JournalDeps): Journal {
  const timestamp = isoTime(deps.now());
  const add = (line: object) => options.store.append(encodeLine(line));
  add(newHeader({ parentSession: source.label, ...options.header }, timestamp));
  if (source.prefix) add(source.prefix);
  // They record what happened to the files, on any branch.
  for (const line of source.outside("snapshot")) add(line);

  const copied = new Set<string>();
  let parentId: string | null = null;
  for (const id of pathTo(source, options.upTo)) {
    const stored = source.storedEntry(id);
    if (!stored || stored["type"] === "label") continue;
    add({ ...stored, parentId });
    copied.add(id);
    parentId = id;
  }
  const journal = Journal.open(options.store, deps);
  for (const [targetId, label] of source.labels) if (copied.has(targetId)) journal.setLabel(targetId, label);
  return journal;
}
