// Entries that extensions and tools keep in a journal, by kind.

import { wellFormed } from "../base/text/well-formed.ts";
import type { CustomEntry } from "../contract/journal.ts";
import type { Journal } from "../record/journal/journal.ts";
import type { NewEntry } from "../record/journal/new-lines.ts";

export const customMessage = (
  customType: string,
  content: string,
  { display = true }: { display?: boolean },
): NewEntry => ({
  type: "custom_message",
  customType,
  content: wellFormed(content),
  display,
  attribution: "agent",
});

export function* customEntriesOf(journal: Journal, customType: string): IterableIterator<CustomEntry> {
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id) as CustomEntry;
    if (entry.customType === customType) yield entry;
  }
}
