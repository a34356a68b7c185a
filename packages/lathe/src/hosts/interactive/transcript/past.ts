// A resumed session as items, made from its journal; each call's card is made again from call and result.

import type { Session, ToolDef } from "@lathe/agent";
import { textOfContent } from "@lathe/agent/base";
import type { CustomEntry, CustomMessageEntry, MessageEntry, ResultFacts, TreeEntry } from "@lathe/agent/contract";
import { pathTo } from "@lathe/agent/record";
import { pastCard, userCommandOf } from "@lathe/agent/session";
import { type ToolCallData, textOf } from "@lathe/llm";
import { readableSummary, wordsAndAttachments } from "../../../sessions/attached-text.ts";
import { nestedCall, pastTool, resultsByCall } from "../../../sessions/call-results.ts";
import { reportLine } from "../../../sessions/reports.ts";
import { VERIFICATION_ENTRY, verificationNote } from "../../../sessions/verdict.ts";
import { type CallItem, type Item, nestedCard, type PictureItem } from "./item.ts";
import { picturesIn } from "./pictures.ts";
import { commandItem } from "./user-command.ts";

/** Lines for a message of an extension's kind; undefined: its text is shown. */
export type EntryLines = (kind: string, text: string) => readonly string[] | undefined;

/** `turns`: how many of the last user inputs. */
export function* pastItems(session: Session, turns: number, linesOf?: EntryLines): IterableIterator<Item> {
  const { journal } = session;
  const path = pathTo(journal, journal.leaf);
  const toolNamed = (name: string): ToolDef | undefined => pastTool(session, name);
  for (let at = firstOf(session, path, turns); at < path.length; at++) {
    const entry = journal.entry(path[at] as string);
    if (entry.type === "custom_message" && !userCommandOf(entry)) yield* customItems(entry, linesOf);
    else yield* itemsOf(entry, () => resultsByCall(session.journal, path, at), toolNamed);
  }
}

function firstOf({ journal }: Session, path: readonly string[], turns: number): number {
  let left = turns;
  for (let at = path.length - 1; at >= 0; at--) {
    const id = path[at] as string;
    if (journal.meta(id)?.type !== "message") continue;
    const { message, origin } = journal.entry(id) as MessageEntry;
    if (message.role === "user" && (origin === undefined || origin === "input")) left--;
    if (left <= 0) return at;
  }
  return 0;
}

function* itemsOf(
  entry: TreeEntry,
  results: () => ReadonlyMap<string, MessageEntry>,
  toolNamed: (name: string) => ToolDef | undefined,
): IterableIterator<Item> {
  const command = userCommandOf(entry);
  if (command) {
    yield commandItem(command);
    return;
  }
  switch (entry.type) {
    case "message":
      yield* messageItems(entry, results, toolNamed);
      break;
    case "nested_call":
      yield nestedItem(callItem(nestedCall(entry), entry, toolNamed(entry.tool)));
      break;
    case "compaction":
      if (entry.summary !== "")
        yield { kind: "compaction", tokensBefore: entry.tokensBefore, summary: () => readableSummary(entry.summary) };
      break;
    case "branch_summary":
      yield { kind: "note", text: "Continued from another branch of the session.", note: "info" };
      break;
    case "custom":
      yield* verdictNote(entry);
      break;
    case "model_change":
      yield {
        kind: "note",
        text: `Model: ${entry.model}${entry.reason === undefined ? "" : ` (${entry.reason})`}`,
        note: "info",
      };
      break;
    default:
      break;
  }
}

function* verdictNote({ customType, data }: CustomEntry): IterableIterator<Item> {
  const verdict = customType === VERIFICATION_ENTRY ? verificationNote(data) : undefined;
  if (verdict) yield { kind: "note", text: verdict.title, note: "info" };
}

function* customItems(
  { customType, content, display }: CustomMessageEntry,
  linesOf: EntryLines | undefined,
): IterableIterator<Item> {
  if (!display) return;
  const text = textOfContent(content);
  const lines = linesOf?.(customType, text);
  if (!lines) yield { kind: "text", text };
  for (const line of lines ?? []) yield { kind: "note", text: line, note: "info" };
}

function* messageItems(
  { message, origin, source }: MessageEntry,
  results: () => ReadonlyMap<string, MessageEntry>,
  toolNamed: (name: string) => ToolDef | undefined,
): IterableIterator<Item> {
  if (message.role === "user") {
    if (origin === "loop_detection" || origin === "injected") return;
    if (source && source.kind !== "user") {
      yield { kind: "note", text: reportLine(source, textOf(message)), note: "info" };
      return;
    }
    const { words, attached } = wordsAndAttachments(message.content);
    const how = origin === "steering" ? "steered" : origin === "follow_up" ? "queued" : "sent";
    yield { kind: "user", text: words, how, attached: attached.map(({ name }) => name) };
    yield* picturesIn(message.content);
  }
  if (message.role !== "assistant") return;
  const found = message.content.some(({ kind }) => kind === "tool_call") ? results() : new Map<string, MessageEntry>();
  for (const part of message.content) {
    if (part.kind === "text" && part.text.trim() !== "") yield { kind: "text", text: part.text };
    if (part.kind === "thinking" && part.thinking.text.trim() !== "")
      yield { kind: "thinking", text: part.thinking.text };
    if (part.kind === "tool_call") {
      const result = found.get(part.toolCall.id);
      yield callItem(part.toolCall, result, toolNamed(part.toolCall.name));
      if (result) yield* picturesOf(part.toolCall.id, result);
    }
  }
}

/** One entry may hold the results of several calls. */
function picturesOf(callId: string, { message }: MessageEntry): PictureItem[] {
  return picturesIn(
    message.content.filter((part) => part.kind === "tool_result" && part.toolResult.toolCallId === callId),
  );
}

const nestedItem = (item: CallItem): CallItem => ({ ...item, card: nestedCard(item.card) });

function callItem(call: ToolCallData, entry: ResultFacts | undefined, tool: ToolDef | undefined): CallItem {
  const card = pastCard(tool, call, entry);
  const isError = entry?.message.content.some((part) => part.kind === "tool_result" && part.toolResult.isError);
  const tookMs = entry?.durationMs;
  // The process ended while the call was running.
  if (!entry) return { kind: "call", card, state: "cut off", tookMs };
  return { kind: "call", card, state: entry.settled === "skipped" ? "skipped" : isError ? "failed" : "done", tookMs };
}
