// Converts journal entries to the items of a transcript. A page of entries may begin anywhere: calls and results are
// matched if both are in it.

import type { CallItem, Item, Picture, UserItem, WireEntry } from "./items.ts";
import { mediaIn, picturesAt } from "./pictures.ts";
import type { ItemDraft } from "./transcript-state.ts";

type EntryOf<T extends WireEntry["type"]> = Extract<WireEntry, { type: T }>;
type Result = EntryOf<"results">["results"][number];

const HOW = { input: "sent", steering: "steered", follow_up: "queued" } as const satisfies Record<
  string,
  UserItem["how"]
>;

/**
 * Items in the order of the entries. Keys come from the entries, so that reading a page again gives the same items.
 * `isAtWork`: events will show those calls of the last answer that have no result yet.
 */
export function pastItems(entries: readonly WireEntry[], isAtWork: boolean): Item[] {
  const items: Item[] = [];
  const lastAnswer = isAtWork ? entries.findLast(({ type }) => type === "assistant") : undefined;
  for (const entry of entries) {
    if (entry.type === "results") placeResults(items, entry);
    else
      for (const [at, draft] of draftsOf(entry).entries()) {
        const isOpen = entry === lastAnswer && draft.kind === "call";
        const item = isOpen ? { ...draft, card: undefined, state: "pending" as const } : draft;
        items.push(withKey(item, `${entry.entryId}.${at}`));
      }
  }
  return items;
}

const withKey = (draft: ItemDraft, key: string): Item => ({ ...draft, key }) as Item;

function draftsOf(entry: Exclude<WireEntry, { type: "results" }>): ItemDraft[] {
  switch (entry.type) {
    case "user": {
      const { text, attached, how, entryId } = entry;
      return [{ kind: "user", text, how: HOW[how], attached, pictures: picturesAt(entryId, mediaIn(entry)) }];
    }
    case "assistant":
      return answerDrafts(entry);
    case "command": {
      const { command, output, exitCode } = entry;
      const outcome = exitCode === 0 ? undefined : exitCode === null ? "stopped" : `exit ${exitCode}`;
      const body = { kind: "output" as const, text: output, keeps: "tail" as const, collapsed: 12 };
      const card = { verb: "You ran", subject: command, body, ...(outcome === undefined ? {} : { outcome }) };
      return [{ kind: "call", callId: "", card, state: exitCode === 0 ? "done" : "failed", live: "" }];
    }
    case "note":
      return entry.of === "compaction"
        ? [{ kind: "summary", title: entry.title, text: entry.text ?? "" }]
        : [{ kind: "note", note: "info", text: entry.title, more: entry.text }];
    case "hidden":
      return [];
  }
}

function answerDrafts(entry: EntryOf<"assistant">): ItemDraft[] {
  const { parts, endedBy } = entry;
  const pictures = picturesAt(entry.entryId, mediaIn(entry));
  let shown = 0;
  const drafts = parts.flatMap((part): ItemDraft | [] => {
    if (part.kind === "call") {
      const { toolCallId: callId, card } = part;
      return { kind: "call", callId, card, state: card ? "skipped" : "pending", live: "" };
    }
    if (part.kind === "image") return { kind: "picture", picture: pictures[shown++] as Picture };
    return part.text.trim() === "" ? [] : { kind: part.kind, text: part.text };
  });
  if (endedBy === undefined) return drafts;
  return [...drafts, { kind: "note", note: "warning", text: `The answer was ended by ${endedBy}.` }];
}

function placeResults(items: Item[], { entryId, results }: EntryOf<"results">): void {
  let before = 0;
  for (const result of results) {
    placeResult(items, entryId, result, picturesAt(entryId, result.images, before));
    before += result.images.length;
  }
}

function placeResult(items: Item[], entryId: string, result: Result, pictures: readonly Picture[]): void {
  const { toolCallId: callId, nestedIn, card, settled, isError } = result;
  const state = settled === "skipped" ? "skipped" : isError ? "failed" : "done";
  const call = { kind: "call" as const, callId, nestedIn, card, state, live: "", pictures } satisfies Omit<
    CallItem,
    "key"
  >;
  const isOpen = (item: Item): boolean => item.kind === "call" && item.callId === callId && item.card === undefined;
  const at = items.findLastIndex(isOpen);
  const outer = items.findLastIndex(
    (item) =>
      item.kind === "call" && nestedIn !== undefined && (item.callId === nestedIn || item.nestedIn === nestedIn),
  );
  const key = `${entryId}.${callId}`;
  if (at >= 0) items[at] = { ...call, key: (items[at] as Item).key };
  else if (outer >= 0) items.splice(outer + 1, 0, { ...call, key });
  else items.push({ ...call, key });
}
