// What extensions and tools keep in a journal, by kind.

import type { Journal } from "../journal/journal.ts";
import type { CustomEntry } from "../journal/types.ts";

export function* customEntriesOf(journal: Journal, customType: string): IterableIterator<CustomEntry> {
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id) as CustomEntry;
    if (entry.customType === customType) yield entry;
  }
}
