// Checks that a message list is one a vendor accepts, and that a journal has no loose ends.

import type { Message } from "@lathe/llm";
import type { Journal } from "../../src/record/journal/journal.ts";

/** Every call has exactly one result, in call order, before any other message. */
export function historyError(messages: readonly Message[]): string | undefined {
  let waiting: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      const expected = waiting.shift();
      if (expected === undefined) return `message ${at}: a result without a call (${message.toolCallId})`;
      if (expected !== message.toolCallId)
        return `message ${at}: result of ${message.toolCallId}, expected ${expected}`;
      continue;
    }
    if (waiting.length > 0) return `message ${at}: ${message.role} while ${waiting.join(", ")} have no result`;
    if (message.role !== "assistant") continue;
    if (message.content.length === 0) return `message ${at}: an empty answer`;
    waiting = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.id] : []));
  }
  return waiting.length > 0 ? `calls without result at the end: ${waiting.join(", ")}` : undefined;
}

/** For a session that is at rest. */
export function journalError(journal: Journal): string | undefined {
  const open = journal.openIntents();
  if (open.length > 0)
    return `open intents: ${open.map((intent) => `${intent.effect} ${intent.callId ?? ""}`).join(", ")}`;
  if (journal.input?.state === "start") return "an input is open";
  const filled = journal.context.messages.filter(
    (message, at) => message.role === "tool" && journal.context.entryIds[at] === undefined,
  );
  if (filled.length > 0) return `${filled.length} results have no entry of their own`;
  return historyError(journal.context.messages);
}
