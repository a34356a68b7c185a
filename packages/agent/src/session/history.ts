// The history as typed items (SN-04): a view of the journal for hosts.

import type { ContentPart, Message } from "@lathe/llm";
import { NO_USAGE } from "../base/budget/ledger.ts";
import { textOfContent } from "../base/text/content.ts";
import type { MessageEntry, TreeEntry } from "../contract/journal.ts";
import { pathTo } from "../record/journal/context.ts";
import type { Journal } from "../record/journal/journal.ts";
import type { ToolResultItem, Turn } from "./types.ts";

/** Reads the whole path to the leaf. */
export function historyOf(journal: Journal): Turn[] {
  const items: Turn[] = [];
  let order: ReadonlyMap<string, number> = new Map();
  /** The results of the last item, in the order in which they arrived. */
  let results: ToolResultItem[] = [];
  const inCallOrder = (a: ToolResultItem, b: ToolResultItem): number =>
    (order.get(a.toolCallId) ?? -1) - (order.get(b.toolCallId) ?? -1);
  for (const id of pathTo(journal, journal.leaf)) {
    const item = toItem(journal.entry(id));
    if (!item) continue;
    if (item.kind === "tool_results" && items.at(-1)?.kind === "tool_results") {
      results.push(...item.results);
      continue;
    }
    results.sort(inCallOrder);
    results = item.kind === "tool_results" ? [...item.results] : [];
    if (item.kind === "assistant") order = new Map(item.toolCalls.map((call, at) => [call.id, at]));
    items.push(item.kind === "tool_results" ? { ...item, results } : item);
  }
  results.sort(inCallOrder);
  return items;
}

function toItem(entry: TreeEntry): Turn | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return messageItem(entry, timestamp);
    case "custom_message":
      return { kind: "user", content: entry.content, timestamp };
    case "compaction":
    case "branch_summary":
      return { kind: "user", content: entry.summary, timestamp };
    default:
      return undefined;
  }
}

function messageItem(entry: MessageEntry, timestamp: number): Turn {
  const { message } = entry;
  switch (message.role) {
    case "assistant": {
      const reasoning = reasoningOf(message);
      return {
        kind: "assistant",
        content: textOfContent(message.content),
        toolCalls: message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall] : [])),
        ...(reasoning === "" ? {} : { reasoning }),
        usage: entry.usage ?? NO_USAGE,
        ...(entry.responseId === undefined ? {} : { responseId: entry.responseId }),
        timestamp,
        message,
      };
    }
    case "tool":
      return { kind: "tool_results", results: [resultItem(entry)], timestamp };
    case "system":
    case "developer":
      return { kind: "system", content: textOfContent(message.content), timestamp };
    case "user": {
      const isSteering =
        entry.origin === "steering" || entry.origin === "loop_detection" || entry.origin === "injected";
      return { kind: isSteering ? "steering" : "user", content: plainContent(message), timestamp };
    }
  }
}

function resultItem(entry: MessageEntry): ToolResultItem {
  const part = entry.message.content.find((candidate) => candidate.kind === "tool_result");
  const content = part?.toolResult.content ?? "";
  return {
    toolCallId: part?.toolResult.toolCallId ?? entry.message.toolCallId ?? "",
    content: typeof content === "string" ? content : JSON.stringify(content),
    isError: part?.toolResult.isError ?? false,
    ...(entry.details === undefined ? {} : { details: entry.details }),
  };
}

function plainContent(message: Message): string | readonly ContentPart[] {
  const only = message.content.length === 1 ? message.content[0] : undefined;
  return only?.kind === "text" ? only.text : message.content;
}

function reasoningOf(message: Message): string {
  return message.content.flatMap((part) => (part.kind === "thinking" ? [part.thinking.text] : [])).join("\n");
}
