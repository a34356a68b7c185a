// Labels of entries. A label belongs to one entry, so that it can be used wherever an entry is expected.

import { JournalError } from "./errors.ts";
import type { Journal } from "./journal.ts";
import { existingEntry } from "./tree.ts";

/** The part of a journal that is needed to find and label entries. */
export type LabelledJournal = Pick<Journal, "has" | "entry" | "labels" | "entryIds">;

/** Throws if the entry cannot get this label; an undefined `label` removes the current one. */
export function checkLabel(journal: LabelledJournal, entryId: string, label: string | undefined): void {
  existingEntry(journal, entryId);
  const present = journal.labels.get(entryId);
  if (label === undefined) {
    if (present === undefined) throw new JournalError("label", `Entry ${entryId} has no label to clear.`);
    return;
  }
  if (label.trim() === "") throw new JournalError("label", "A label cannot be empty. Give it a name, or clear it.");
  if (present === label) throw new JournalError("label", `Entry ${entryId} is labelled "${label}" already.`);
  const other = entryNamed(journal, label);
  if (other !== undefined)
    throw new JournalError(
      "label",
      `The label "${label}" is on entry ${other} already. Choose another, or clear it there first.`,
    );
}

function entryNamed({ labels }: Pick<Journal, "labels">, label: string): string | undefined {
  for (const [id, name] of labels) if (name === label) return id;
  return undefined;
}

const LEAST_ID = 2;

/** Finds an entry by its id, its label or the beginning of its id. */
export function findEntry(journal: LabelledJournal, value: string): string {
  if (value.trim() === "") throw new JournalError("unknown_entry", "The name of the entry is empty.");
  if (journal.has(value)) return value;
  const named = entryNamed(journal, value);
  if (named !== undefined) return named;
  const found = value.length < LEAST_ID ? [] : [...journal.entryIds()].filter((id) => id.startsWith(value));
  if (found.length === 1) return found[0]!;
  throw new JournalError(
    "unknown_entry",
    found.length === 0
      ? `There is no entry ${value} in this session.`
      : `"${value}" is the beginning of ${found.length} entries. Give more of the id.`,
  );
}
