// Tool calls from their start to their result, including a question in between.

import type { WireEventOf } from "lathe/client";
import type { CallItem, Item } from "./items.ts";
import { add, replaceItem, type Transcript } from "./transcript-state.ts";

type CallEvent =
  | WireEventOf<"tool_execution_start">
  | WireEventOf<"tool_execution_update">
  | WireEventOf<"tool_execution_end">
  | WireEventOf<"lathe:approval_request">
  | WireEventOf<"lathe:approval_settled">;

/** Characters kept of a running call's output. */
const MOST_LIVE = 16_000;

export function afterCall(transcript: Transcript, event: CallEvent): Transcript {
  const outer = "nestedIn" in event ? event.nestedIn : undefined;
  const placed = withCall(transcript, event.toolCallId, outer);
  const at = lastCall(placed.items, event.toolCallId);
  const item = placed.items[at] as CallItem;
  return { ...placed, activity: undefined, items: replaceItem(placed.items, at, updateCall(item, event)) };
}

function updateCall(item: CallItem, event: CallEvent): CallItem {
  switch (event.type) {
    case "tool_execution_start":
      return { ...item, card: event.card, state: item.state === "waiting" ? "waiting" : "running" };
    case "tool_execution_update":
      return { ...item, live: (item.live + event.delta).slice(-MOST_LIVE) };
    case "tool_execution_end":
      return { ...item, card: event.card, state: event.isError ? "failed" : "done" };
    case "lathe:approval_request":
      return { ...item, state: "waiting" };
    case "lathe:approval_settled":
      return { ...item, state: "running", decision: decisionText(event) };
  }
}

/** Undefined for decisions that no user made: rules and modes decide most calls. */
function decisionText({ decision, by }: WireEventOf<"lathe:approval_settled">): string | undefined {
  if (by === "deadline") return "denied: not answered in time";
  return decision === "deny" ? "denied" : undefined;
}

/** A nested call goes below the call that made it, after that call's earlier ones. */
function withCall(transcript: Transcript, callId: string, outer: string | undefined): Transcript {
  const known = transcript.items[lastCall(transcript.items, callId)] as CallItem | undefined;
  const isOver = known?.state === "done" || known?.state === "failed" || known?.state === "skipped";
  if (known && !isOver) return transcript;
  const added = add(transcript, { kind: "call", callId, nestedIn: outer, state: "pending", live: "" });
  if (outer === undefined) return added;
  const isOf = (item: Item): boolean => item.kind === "call" && (item.callId === outer || item.nestedIn === outer);
  const above = transcript.items.findLastIndex(isOf);
  if (above < 0) return added;
  const item = added.items.at(-1) as Item;
  return { ...added, items: [...transcript.items.slice(0, above + 1), item, ...transcript.items.slice(above + 1)] };
}

/** Ids may be reused, so find the last one. */
const lastCall = (items: readonly Item[], callId: string): number =>
  items.findLastIndex((item) => item.kind === "call" && item.callId === callId);
