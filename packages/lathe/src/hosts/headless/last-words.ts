// How the last input of a session ended, read from its journal: the earlier process of the run may not have reported
// it.

import type { InputOutcome, Journal } from "@lathe/agent";
import type { MessageEntry } from "@lathe/agent/contract";
import { pathTo } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";

export function lastWords(journal: Journal): Pick<InputOutcome, "text" | "finish" | "awaiting"> {
  let awaiting: InputOutcome["awaiting"];
  for (const id of pathTo(journal, journal.leaf).reverse()) {
    if (journal.meta(id)?.type !== "message") continue;
    const { message, awaits, finishReason } = journal.entry(id) as MessageEntry;
    if (message.role === "tool") awaiting ??= awaits;
    if (message.role !== "assistant") continue;
    return { text: textOf(message), finish: finishReason?.reason ?? "stop", ...(awaiting ? { awaiting } : {}) };
  }
  return { text: "", finish: "stop" };
}
