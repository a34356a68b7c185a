// The events that a client needs to draw the running turn and that no entry holds yet. Deltas are merged and only the
// tail of long output is kept, so that this stays small however long the turn takes.

import type { WireEvent } from "../../hosts/wire/events.ts";
import { mergeDeltas } from "./merge-deltas.ts";

const OUTPUT_TAIL = 64 * 1024;

type CallEvent = Extract<WireEvent, { toolCallId: string }>;

export class RunningTurn {
  #events: WireEvent[] = [];

  get events(): readonly WireEvent[] {
    return [...this.#events];
  }

  add(event: WireEvent): void {
    switch (event.type) {
      case "message_update":
      case "tool_execution_update":
        this.#addDelta(event);
        break;
      case "agent_start":
      case "turn_start":
      case "message_start":
      case "tool_execution_start":
      case "lathe:approval_request":
      case "auto_retry_start":
      case "auto_compaction_start":
        this.#events.push(event);
        break;
      case "message_end":
        this.#drop("message_start", "message_update");
        break;
      case "tool_execution_end":
        this.#endCall(event);
        break;
      case "lathe:approval_settled":
        this.#events = this.#events.filter(
          (one) => one.type !== "lathe:approval_request" || one.toolCallId !== event.toolCallId,
        );
        break;
      case "auto_retry_end":
        this.#drop("auto_retry_start");
        break;
      case "auto_compaction_end":
        this.#drop("auto_compaction_start");
        break;
      case "turn_end":
        this.#drop("turn_start");
        break;
      case "agent_end":
        this.clear();
        break;
    }
  }

  clear(): void {
    this.#events = [];
  }

  #addDelta(event: Extract<WireEvent, { type: "message_update" | "tool_execution_update" }>): void {
    const at = this.#events.findLastIndex(
      (one) => one.type === event.type && (one.type !== "tool_execution_update" || isOfCall(one, event as CallEvent)),
    );
    const before = this.#events[at];
    const merged = before && mergeDeltas(before, event);
    if (merged) this.#events[at] = endOf(merged);
    else this.#events.push(endOf(event));
  }

  /** Results of nested calls have no entry of their own, so they stay until the outer call ends. */
  #endCall(event: Extract<WireEvent, { type: "tool_execution_end" }>): void {
    const { toolCallId, nestedIn } = event;
    if (nestedIn !== undefined) {
      this.#events = this.#events.filter((one) => one.type !== "tool_execution_update" || !isOfCall(one, event));
      this.#events.push(event);
      return;
    }
    const ended = new Set([toolCallId]);
    for (const one of this.#events)
      if (one.type === "tool_execution_start" && ended.has(one.nestedIn ?? "")) ended.add(one.toolCallId);
    this.#events = this.#events.filter((one) => !("toolCallId" in one && ended.has(one.toolCallId)));
  }

  #drop(...types: WireEvent["type"][]): void {
    this.#events = this.#events.filter(({ type }) => !types.includes(type));
  }
}

const isOfCall = (one: CallEvent, other: CallEvent): boolean => one.toolCallId === other.toolCallId;

/** Lets output grow to twice the limit before cutting it: cutting at each delta would be quadratic. */
function endOf(event: WireEvent): WireEvent {
  if (event.type !== "tool_execution_update" || event.delta.length <= 2 * OUTPUT_TAIL) return event;
  return { ...event, delta: event.delta.slice(-OUTPUT_TAIL) };
}
