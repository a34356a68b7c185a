// What of a conversation the user has said, and what came from elsewhere: tools, pages, attached files, hooks, agents, summaries.

import type { JournalReader } from "@lathe/agent/contract";
import { isUserMessage } from "@lathe/agent/record";
import { type ContentPart, type Message, textOf } from "@lathe/llm";
import { wordsAndAttachments } from "../../sessions/attached-text.ts";
import type { Said } from "./fit-to-remember.ts";
import { isMemoryTool } from "./tool-names.ts";

/** Of what the model has before it now. Memories that were recalled have been judged before. */
export function saidIn(journal: JournalReader): Said {
  const byUser: string[] = [];
  const byOthers: string[] = [];
  const recalled = new Set<string>();
  const { messages, entryIds } = journal.context;
  for (const [i, message] of messages.entries()) {
    const id = entryIds[i];
    const entry = id === undefined ? undefined : journal.entry(id);
    if (message.role === "assistant") {
      for (const part of message.content)
        if (part.kind === "tool_call" && isMemoryTool(part.toolCall.name)) recalled.add(part.toolCall.id);
      continue;
    }
    if (message.toolCallId !== undefined && recalled.has(message.toolCallId)) continue;
    if (message.role !== "user" || !entry || !isUserMessage(entry)) byOthers.push(...textsOf(message));
    else {
      const { words, attached } = wordsAndAttachments(message.content);
      byUser.push(words);
      byOthers.push(...attached.map(({ text }) => text));
    }
  }
  return { byUser, byOthers: () => byOthers };
}

/** All text of a message, that of results included. */
export function textsOf(message: Message): string[] {
  return [textOf(message), ...message.content.flatMap(resultText)].filter((text) => text !== "");
}

function resultText(part: ContentPart): string[] {
  if (part.kind !== "tool_result") return [];
  const { content } = part.toolResult;
  return typeof content === "string" ? [content] : [JSON.stringify(content)];
}
