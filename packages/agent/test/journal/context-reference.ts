// An independent, slow definition of a leaf's context; the property test compares the real one with it.

import { Message } from "@lathe/llm";
import type { TreeEntry } from "../../src/contract/journal.ts";

const callsOf = (message: Message) =>
  message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.id] : []));

export function referenceMessages(entries: readonly TreeEntry[], leaf: string | null): Message[] {
  const path: TreeEntry[] = [];
  let at = entries.find((entry) => entry.id === leaf);
  while (at) {
    path.unshift(at);
    const parent: string | null = at.parentId;
    at = entries.find((entry) => entry.id === parent);
  }
  const last = path.filter((entry) => entry.type === "compaction").at(-1);
  const from = last?.summary === "" ? path.indexOf(last) : 0;
  const pruned = path.slice(from).flatMap((entry) => (entry.type === "prune" ? entry.prune : []));
  let sent = path;
  if (last) {
    const before = path.slice(0, path.indexOf(last));
    const first = before.findIndex((entry) => entry.id === last.firstKeptEntryId);
    const tail = first < 0 ? [] : before.slice(first);
    const keep = before.filter((entry) => !tail.includes(entry) && last.details?.keep?.includes(entry.id));
    const rest = tail.filter((entry) => entry.type !== "compaction");
    sent = [last, ...keep, ...rest, ...path.slice(before.length + 1)];
  }
  const flat = sent.flatMap((entry): Message[] => {
    const cut = pruned.includes(entry.id);
    const notice = "[pruned to save context]";
    if (entry.type === "compaction" && entry.summary === "") return [];
    if (entry.type === "compaction")
      return [Message.user(`<compaction_summary>\n${entry.summary}\n</compaction_summary>`)];
    if (entry.type === "branch_summary") return [Message.user(`<branch_summary>\n${entry.summary}\n</branch_summary>`)];
    if (entry.type === "custom_message") return [Message.user(cut ? notice : entry.content)];
    if (entry.type !== "message") return [];
    const { message } = entry;
    if (!cut || message.role === "assistant") return [message];
    if (message.role === "tool") {
      const [part] = message.content;
      const content = part?.kind === "tool_result" ? String(part.toolResult.content) : "";
      const short = `[Output truncated - ${Math.ceil(content.length / 4)} tokens]`;
      return [Message.toolResult({ toolCallId: message.toolCallId!, content: short })];
    }
    return [Message.user(notice)];
  });
  return flat.flatMap((message, index) => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const next = flat.findIndex((other, position) => position > index && other.role === "assistant");
    const results = flat.slice(index + 1, next < 0 ? undefined : next).filter((other) => other.role === "tool");
    const fill = (id: string) =>
      Message.toolResult({ toolCallId: id, content: "[interrupted before this call finished]", isError: true });
    return [message, ...callsOf(message).map((id) => results.find((one) => one.toolCallId === id) ?? fill(id))];
  });
}
