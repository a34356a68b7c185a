// Finds the answer at which the model stopped. Its text cannot identify it: a model may say "Done." twice.

import type { Session } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";

/** The id of the answer's entry, which is the same in a process that continues after a kill. */
export function lastAnswer({ journal }: Pick<Session, "journal">): string | undefined {
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) return undefined;
    if (meta.type === "message" && (journal.entry(id) as MessageEntry).message.role === "assistant") return id;
    id = meta.parentId;
  }
  return undefined;
}
