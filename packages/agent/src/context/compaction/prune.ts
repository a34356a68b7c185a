// Old results that can be emptied to save space. This is cheaper than a summary, and nothing is lost: the results stay
// in the journal.

import type { CompactionEntry, MessageEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import type { RequestInfo } from "../../contract/seams/types.ts";
import { PRUNED_RESULT } from "../../record/journal/context.ts";
import { presentContext, type SentMessage } from "./present-context.ts";

/** The newest messages, up to this many tokens, stay. */
const PROTECTED_TOKENS = 40_000;
/** The same limit as a share of the window, if that is less. */
const PROTECTED_SHARE = 0.2;
/** Saving less than this share of the window is not worth it. */
const LEAST_SAVED_SHARE = 0.1;
/**
 * The same limit if a summary is possible instead: both break the prefix that vendors charge less for, so each should
 * last for a while.
 */
const LEAST_SAVED_INSTEAD_OF_SUMMARY = 0.35;

/**
 * Entries to empty, oldest first; none if they would not save enough. Files that were read stay, because the model
 * works with them.
 */
export function prunable(journal: JournalReader, info: RequestInfo, canSummarize: boolean): string[] {
  const { sent, window } = presentContext(info);
  const protect = Math.min(PROTECTED_TOKENS, PROTECTED_SHARE * window);
  const ids: string[] = [];
  let newest = 0;
  let saved = 0;
  for (const { entryId, message, tokens } of sent.toReversed()) {
    newest += tokens;
    if (newest <= protect || message.role !== "tool" || entryId === undefined) continue;
    if (isRead(journal, entryId) || isEmptied(message)) continue;
    ids.push(entryId);
    saved += tokens;
  }
  const least = canSummarize ? LEAST_SAVED_INSTEAD_OF_SUMMARY : LEAST_SAVED_SHARE;
  return saved < least * window ? [] : ids.reverse();
}

/** The largest results that together save `excess` tokens; for a tail that is too large by itself. */
export function largestResults(sent: readonly SentMessage[], excess: number): string[] {
  const ids: string[] = [];
  let left = excess;
  for (const { entryId, message, tokens } of [...sent].sort((a, b) => b.tokens - a.tokens)) {
    if (left <= 0) break;
    if (message.role !== "tool" || entryId === undefined || isEmptied(message)) continue;
    ids.push(entryId);
    left -= tokens;
  }
  return ids;
}

/** True if the last compaction of the branch was undone. */
export function wasRestored(journal: JournalReader): boolean {
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) return false;
    if (meta.type === "compaction") return (journal.entry(id) as CompactionEntry).summary === "";
    id = meta.parentId;
  }
  return false;
}

function isRead(journal: JournalReader, id: string): boolean {
  const { reads, changes } = journal.entry(id) as MessageEntry;
  return reads !== undefined && reads.length > 0 && changes === undefined;
}

/** Emptying it again would save nothing. */
const isEmptied = ({ content }: SentMessage["message"]): boolean =>
  content.every((part) => part.kind === "tool_result" && PRUNED_RESULT.test(String(part.toolResult.content)));
