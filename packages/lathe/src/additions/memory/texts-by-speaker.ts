// Separates what the user said in a session from what came from elsewhere: tools, pages, attached files, hooks, agents,
// summaries.

import type { JournalReader } from "@lathe/agent/contract";
import { isUserMessage, pathTo } from "@lathe/agent/record";
import { type ContentPart, type Message, textOf } from "@lathe/llm";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import type { Said } from "./fit-to-remember.ts";
import { isMemoryTool } from "./tool-names.ts";

/** Covers the whole session, because the model has also seen what is no longer sent to it. */
export const textsBySpeaker = (journal: JournalReader): Said => ({
  byUser: wordsOfUser(journal),
  byOthers: () => textsOfOthers(journal),
});

function wordsOfUser(journal: JournalReader): readonly string[] {
  return pathTo(journal, journal.leaf).flatMap((id) => {
    if (journal.meta(id)?.type !== "message") return [];
    const entry = journal.entry(id);
    return entry.type === "message" && isUserMessage(entry) ? [wordsAndAttachments(entry.message.content).words] : [];
  });
}

/**
 * Every text that did not come from the user or the agent. It is read from the file again, because a session may be
 * larger than memory. Recalled memories are excluded: they were judged before.
 */
export function* textsOfOthers(journal: JournalReader): IterableIterator<string> {
  const recalled = new Set<string>();
  for (const id of journal.entryIds()) {
    const entry = journal.entry(id);
    if (entry.type === "custom_message") {
      yield typeof entry.content === "string" ? entry.content : textsIn(entry.content).join("\n");
      continue;
    }
    if (entry.type === "compaction" || entry.type === "branch_summary") {
      yield entry.summary;
      continue;
    }
    if (entry.type === "nested_call") yield* textsOf(entry.message);
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") {
      for (const part of message.content)
        if (part.kind === "tool_call" && isMemoryTool(part.toolCall.name)) recalled.add(part.toolCall.id);
    } else if (isUserMessage(entry)) yield* wordsAndAttachments(message.content).attached.map(({ text }) => text);
    else if (message.toolCallId === undefined || !recalled.has(message.toolCallId)) yield* textsOf(message);
  }
}

/** All text of a message, including results. */
const textsOf = (message: Message): string[] =>
  [textOf(message), ...message.content.flatMap(resultText)].filter((text) => text !== "");

const textsIn = (content: readonly ContentPart[]): string[] =>
  content.flatMap((part) => (part.kind === "text" ? [part.text] : resultText(part)));

function resultText(part: ContentPart): string[] {
  if (part.kind !== "tool_result") return [];
  const { content } = part.toolResult;
  return typeof content === "string" ? [content] : [JSON.stringify(content)];
}
