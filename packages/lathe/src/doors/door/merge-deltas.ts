// Events that carry only a piece of a text: which text they belong to, and how to merge two of them.

import type { WireEvent } from "../../hosts/wire/events.ts";

/** A key for the text that an event continues; undefined for any other event. */
export function textOfDelta(event: WireEvent): string | undefined {
  if (event.type === "message_update") return "message";
  return event.type === "tool_execution_update" ? `call ${event.toolCallId}` : undefined;
}

/** Merges both into one event; undefined if they are of different kinds, so that their order must stay. */
export function mergeDeltas(first: WireEvent, second: WireEvent): WireEvent | undefined {
  if (first.type === "tool_execution_update" && second.type === "tool_execution_update")
    return isSameOutput(first, second) ? { ...first, delta: first.delta + second.delta } : undefined;
  if (first.type !== "message_update" || second.type !== "message_update") return undefined;
  const { assistantMessageEvent: one } = first;
  const { assistantMessageEvent: other } = second;
  if (one.type !== other.type || idOf(one) !== idOf(other)) return undefined;
  return { type: "message_update", assistantMessageEvent: { ...one, delta: one.delta + other.delta } };
}

type MessageDelta = Extract<WireEvent, { type: "message_update" }>["assistantMessageEvent"];
type OutputDelta = Extract<WireEvent, { type: "tool_execution_update" }>;

const isSameOutput = (one: OutputDelta, other: OutputDelta): boolean =>
  one.toolCallId === other.toolCallId && one.stream === other.stream;

const idOf = (delta: MessageDelta): string | undefined =>
  delta.type === "toolcall_delta" ? delta.toolCallId : undefined;
