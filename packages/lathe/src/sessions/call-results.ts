// The results of an answer's calls in a journal.

import type { Journal } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";

/** Results stand between the answer that made the calls and the next one. `answer`: its position on the path. */
export function* resultsAfter(
  journal: Pick<Journal, "meta" | "entry">,
  path: readonly string[],
  answer: number,
): IterableIterator<MessageEntry> {
  for (const id of path.slice(answer + 1)) {
    if (journal.meta(id)?.type !== "message") continue;
    const entry = journal.entry(id) as MessageEntry;
    if (entry.message.role === "assistant") return;
    if (entry.message.role === "tool") yield entry;
  }
}
