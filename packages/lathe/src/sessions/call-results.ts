// The calls of a journal and their results.

import type { Journal, Session, ToolDef } from "@lathe/agent";
import type { MessageEntry, NestedCallEntry } from "@lathe/agent/contract";
import { knownTool } from "@lathe/agent/tools";
import type { ToolCallData } from "@lathe/llm";

/** The ids and arguments of the calls in an entry: the calls of an answer, or one made by another call. */
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

/** The tool of a past call, even if it is no longer offered. */
export const pastTool = ({ toolNamed, profile }: Session, name: string): ToolDef | undefined =>
  toolNamed(name) ?? profile.toolRegistry.get(name)?.tool ?? knownTool(name);

/** The results between an answer with calls and the next answer. `answer` is the position of the former on the path. */
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

/** The same results, by call id. */
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
