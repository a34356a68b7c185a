// Pages of the active branch's entries for the wire: the displayed content of each, bounded. Pages are addressed by
// entry, so that a client can start at either end and continue from any entry.

import type { Session } from "@lathe/agent";
import type { MessageEntry, NestedCallEntry, TreeEntry } from "@lathe/agent/contract";
import { pathTo } from "@lathe/agent/record";
import { pastCard, userCommandOf } from "@lathe/agent/session";
import type { ToolCallData } from "@lathe/llm";
import { callsIn, pastTool, resultsAfter } from "../../sessions/call-results.ts";
import { type AssistantItem, type Item, itemsOfEntry } from "../../sessions/transcript.ts";
import type { WireEntry } from "../wire/entry.ts";
import { mediaToWire } from "../wire/to-wire.ts";
import type { CommandData, CommandParams } from "./commands.ts";
import { Refusal } from "./handler.ts";

/** Clients get longer texts with `get_entry`. */
const LONGEST_TEXT = 64 * 1024;
/** A page ends with the entry that reaches this size. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const PAGE_ENTRIES = 200;
const MOST_ENTRIES = 1000;

type OfType<T extends WireEntry["type"]> = Extract<WireEntry, { type: T }>;
type Result = OfType<"results">["results"][number];
type Part = OfType<"assistant">["parts"][number];

/** An entry and its position on a branch. */
interface Place {
  readonly session: Session;
  readonly path: readonly string[];
  readonly at: number;
  readonly entry: TreeEntry;
}

export function entryPage(session: Session, params: CommandParams<"get_entries">): CommandData<"get_entries"> {
  const { journal } = session;
  const path = pathTo(journal, journal.leaf);
  const { from, to } = spanOf(path, params);
  const isFromEnd = params.before !== undefined;
  const entries: WireEntry[] = [];
  let characters = 0;
  for (let n = 0; n < to - from && characters < PAGE_CHARACTERS; n++) {
    const { row, size } = cutRow(rowOf(session, path, isFromEnd ? to - 1 - n : from + n));
    entries.push(row);
    characters += size;
  }
  if (isFromEnd) entries.reverse();
  const start = isFromEnd ? to - entries.length : from;
  return { entries, start, total: path.length, leafId: journal.leaf };
}

/** A whole entry, on any branch. */
export function wholeEntry(session: Session, entryId: string): WireEntry {
  const path = pathTo(session.journal, session.journal.entry(entryId).id);
  return rowOf(session, path, path.length - 1);
}

function spanOf(
  path: readonly string[],
  { after, before, limit = PAGE_ENTRIES }: CommandParams<"get_entries">,
): { readonly from: number; readonly to: number } {
  if (after !== undefined && before !== undefined) throw new Error("Give after or before, not both.");
  const most = Math.min(Math.max(limit, 1), MOST_ENTRIES);
  if (before !== undefined) {
    const to = before === null ? path.length : positionOf(path, before);
    return { from: Math.max(0, to - most), to };
  }
  const from = after === undefined ? 0 : positionOf(path, after) + 1;
  return { from, to: Math.min(path.length, from + most) };
}

/** After a rewind or a change of branch, a client may know entries that are no longer on the active branch. */
function positionOf(path: readonly string[], id: string): number {
  const at = path.lastIndexOf(id);
  if (at >= 0) return at;
  throw new Refusal(
    "not_on_branch",
    `Entry ${id} is not on the active branch. Read the entries again from either end.`,
  );
}

function rowOf(session: Session, path: readonly string[], at: number): WireEntry {
  const { journal } = session;
  const entry = journal.entry(path[at] as string);
  const { id: entryId, parentId, timestamp } = entry;
  const label = journal.labels.get(entryId);
  const fields = { entryId, parentId, timestamp, ...(label === undefined ? {} : { label }) };
  const place = { session, path, at, entry };
  const command = userCommandOf(entry);
  if (command) {
    const { command: line, output, exitCode, cancelled, timedOut, isSent } = command;
    return { type: "command", ...fields, command: line, output, exitCode, cancelled, timedOut, isSent };
  }
  const results = resultsIn(place);
  if (results.length > 0) return { type: "results", ...fields, results };
  const [item] = itemsOfEntry(entry);
  return item ? { ...fields, ...shownItem(place, item) } : { type: "hidden", ...fields, of: entry.type };
}

type WithoutFields<T> = T extends unknown ? Omit<T, "entryId" | "parentId" | "timestamp" | "label"> : never;

function shownItem(place: Place, item: Item): WithoutFields<OfType<"user" | "assistant" | "note">> {
  switch (item.type) {
    case "user": {
      const attached = item.attached.map(({ name }) => name);
      return { type: "user", text: item.text, attached, images: item.images.map(mediaToWire), how: item.how };
    }
    case "assistant": {
      const { model, tokens, cost, endedBy } = item;
      return {
        type: "assistant",
        parts: partsOf(place, item),
        ...(model === undefined ? {} : { model }),
        ...(tokens === undefined ? {} : { tokens }),
        ...(cost === undefined ? {} : { cost }),
        ...(endedBy === undefined ? {} : { endedBy }),
      };
    }
    case "note": {
      const more = item.text === undefined ? {} : { text: item.text };
      return { type: "note", of: place.entry.type, title: item.title, ...more };
    }
  }
}

function partsOf({ session, path, at, entry }: Place, { parts }: AssistantItem): Part[] {
  const calls = callsIn(session.journal, entry.id);
  const answered = calls.length === 0 ? [] : [...resultsAfter(session.journal, path, at)].flatMap(answeredCallIds);
  const unansweredCall = (callId: string): ToolCallData | undefined =>
    answered.includes(callId) ? undefined : calls.find(({ id }) => id === callId);
  return parts.map((part): Part => {
    if (part.kind === "image") return { kind: "image", image: mediaToWire(part.image) };
    if (part.kind !== "call") return part;
    const { id: toolCallId, name: toolName } = part.call;
    const open = unansweredCall(toolCallId);
    const card = open && pastCard(pastTool(session, toolName), open, undefined);
    return { kind: "call", toolCallId, toolName, ...(card ? { card } : {}) };
  });
}

const answeredCallIds = ({ message }: MessageEntry): string[] =>
  message.content.flatMap((part) => (part.kind === "tool_result" ? [part.toolResult.toolCallId] : []));

/** The results in an entry: one of an old file may hold several. */
function resultsIn(place: Place): Result[] {
  const { session, entry } = place;
  if (entry.type === "nested_call")
    return [{ ...resultOf(session, nestedCallIn(session, entry), entry), nestedIn: entry.within }];
  if (entry.type !== "message" || entry.message.role !== "tool") return [];
  const calls = callsBefore(place);
  return answeredCallIds(entry).flatMap((callId) => {
    const call = calls.find(({ id }) => id === callId);
    return call ? [resultOf(session, call, entry)] : [];
  });
}

const nestedCallIn = ({ journal }: Session, { id }: NestedCallEntry): ToolCallData =>
  callsIn(journal, id)[0] as ToolCallData;

/** The calls of the nearest answer above, because later answers may use the same ids again. */
function callsBefore({ session: { journal }, path, at }: Place): readonly ToolCallData[] {
  for (const id of path.slice(0, at).reverse()) {
    const calls = journal.meta(id)?.type === "message" ? callsIn(journal, id) : [];
    if (calls.length > 0) return calls;
  }
  return [];
}

function resultOf(session: Session, call: ToolCallData, entry: MessageEntry | NestedCallEntry): Result {
  const { message, settled, durationMs, artifact, changes } = entry;
  const part = message.content.find((one) => one.kind === "tool_result" && one.toolResult.toolCallId === call.id);
  const result = part?.kind === "tool_result" ? part.toolResult : undefined;
  return {
    toolCallId: call.id,
    toolName: call.name,
    isError: result?.isError ?? false,
    card: pastCard(pastTool(session, call.name), call, entry),
    images: (result?.images ?? []).map(mediaToWire),
    ...(settled === undefined ? {} : { settled }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(changes === undefined ? {} : { changes }),
  };
}

/** Cuts long texts and drops the data of pictures. `size` is the number of remaining characters. */
function cutRow(whole: WireEntry): { readonly row: WireEntry; readonly size: number } {
  let size = 0;
  let isCut = false;
  const cut = (value: unknown, key?: string): unknown => {
    if (typeof value === "string") {
      const isLong = value.length > LONGEST_TEXT;
      const isData = key === "data";
      isCut ||= isLong || isData;
      const kept = isData ? undefined : isLong ? `${value.slice(0, LONGEST_TEXT).toWellFormed()}…` : value;
      size += kept?.length ?? 0;
      return kept;
    }
    if (Array.isArray(value)) return value.map((inner) => cut(inner));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, name)]));
  };
  const row = cut(whole) as WireEntry;
  return { row: isCut ? { ...row, isCut: true } : row, size };
}
