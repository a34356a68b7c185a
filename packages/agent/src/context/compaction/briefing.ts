// How to recognise a session that continues another one from a briefing.

import type { JournalReader } from "../../contract/journal-reader.ts";

/** The kind of the session's first entry. */
export const HANDOFF = "handoff";

/** Whether the session began with a briefing about the one that its header names. */
export function beganWithBriefing(journal: JournalReader): boolean {
  const first = journal.entryIds().next();
  if (first.done || journal.meta(first.value)?.type !== "custom_message") return false;
  const entry = journal.entry(first.value);
  return entry.type === "custom_message" && entry.customType === HANDOFF;
}
