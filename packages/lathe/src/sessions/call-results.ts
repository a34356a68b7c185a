// The calls of a journal and their results.

import type { Journal, Session, ToolDef } from "@lathe/agent";
import type { MessageEntry, NestedCallEntry } from "@lathe/agent/contract";
import { knownTool } from "@lathe/agent/tools";
import type { ToolCallData } from "@lathe/llm";

/** The calls that an entry tells of: those of an answer, or one that a call made. */
export function callsIn(journal: Pick<Journal, "meta" | "entry">, id: string): readonly ToolCallData[] {
  const type = journal.meta(id)?.type;
  if (type === "nested_call") return [nestedCall(journal.entry(id) as NestedCallEntry)];
  if (type !== "message") return [];
  const { content } = (journal.entry(id) as MessageEntry).message;
  return content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : []));
}

export const nestedCall = ({ callId, tool, arguments: args = {} }: NestedCallEntry): ToolCallData => ({
  id: callId,
  name: tool,
  arguments: args,
  type: "function",
});

/** The tool that a past call was made with, also when it is no longer offered. */
export const pastTool = ({ toolNamed, profile }: Session, name: string): ToolDef | undefined =>
  toolNamed(name) ?? profile.toolRegistry.get(name)?.tool ?? knownTool(name);

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

/** The same by the id of the call. */
export function resultsByCall(
  journal: Pick<Journal, "meta" | "entry">,
  path: readonly string[],
  answer: number,
): ReadonlyMap<string, MessageEntry> {
  const results = new Map<string, MessageEntry>();
  for (const entry of resultsAfter(journal, path, answer))
    for (const part of entry.message.content)
      if (part.kind === "tool_result") results.set(part.toolResult.toolCallId, entry);
  return results;
}
