// For screens: consecutive deltas of one block become one event per interval. Off by default.

import { defaultDeps } from "../deps.ts";
import type { ClientDeps } from "../types/adapter.ts";
import type { DeltaEvent, StreamEvent } from "../types/events.ts";

/** Any other event first flushes what is held back; nothing is reordered or lost. */
export async function* throttle(
  events: AsyncIterable<StreamEvent>,
  intervalMs: number,
  now: ClientDeps["now"] = defaultDeps().now,
): AsyncGenerator<StreamEvent, void, undefined> {
  let held: StreamEvent | undefined;
  let flushed = Number.NEGATIVE_INFINITY;
  for await (const event of events) {
    const merged = held === undefined ? undefined : mergeDeltas(held, event);
    if (merged !== undefined) held = merged;
    else {
      if (held !== undefined) yield held;
      held = isDelta(event) ? event : undefined;
      if (held === undefined) {
        yield event;
        continue;
      }
    }
    const time = now();
    if (time - flushed >= intervalMs) {
      flushed = time;
      yield held;
      held = undefined;
    }
  }
  if (held !== undefined) yield held;
}

function isDelta(event: StreamEvent): event is DeltaEvent {
  return event.type === "text_delta" || event.type === "reasoning_delta" || event.type === "tool_call_delta";
}

/** Merges two consecutive deltas of one block; undefined for other events. */
export function mergeDeltas(held: StreamEvent, next: StreamEvent): StreamEvent | undefined {
  if (held.type === "text_delta" && next.type === "text_delta" && held.textId === next.textId)
    return { type: "text_delta", textId: next.textId, delta: held.delta + next.delta };
  if (held.type === "reasoning_delta" && next.type === "reasoning_delta" && held.reasoningId === next.reasoningId)
    return { ...next, reasoningDelta: held.reasoningDelta + next.reasoningDelta };
  if (held.type === "tool_call_delta" && next.type === "tool_call_delta" && held.callKey === next.callKey)
    return { ...next, delta: held.delta + next.delta };
  return undefined;
}
