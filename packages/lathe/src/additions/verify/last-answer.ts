// Which answer the model has stopped with. Its text does not tell: a model that says "Done." twice has given two answers.

import type { Session } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";

/** The id of its entry; the same in a process that goes on after a kill. */
export function lastAnswer({ journal }: Pick<Session, "journal">): string | undefined {
  for (let id = journal.leaf; id !== null; ) {
    const meta = journal.meta(id);
    if (!meta) return undefined;
    if (meta.type === "message" && (journal.entry(id) as MessageEntry).message.role === "assistant") return id;
    id = meta.parentId;
  }
  return undefined;
}
