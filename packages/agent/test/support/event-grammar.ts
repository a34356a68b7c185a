// Checks a whole list of events against the grammar in src/events/types.ts.

import type { SessionEvent } from "../../src/events/types.ts";

const NOTES = new Set<SessionEvent["kind"]>([
  "entry",
  "warning",
  "error",
  "steering_injected",
  "queue_changed",
  "turn_limit",
  "loop_detection",
  "prefix_changed",
  "compaction_start",
  "compaction_end",
  "subagent_event",
  "state_changed",
]);

/** The first violation, or undefined. `ended`: session_end must have come. */
export function grammarError(events: readonly SessionEvent[], options: { ended?: boolean } = {}): string | undefined {
  const state = new GrammarState();
  for (const [index, event] of events.entries()) {
    const problem = state.take(event, index);
    if (problem) return `event ${index} (${event.kind}): ${problem}`;
  }
  if (options.ended && !state.over) return "the session did not end";
  return undefined;
}

class GrammarState {
  over = false;
  #input = false;
  #turn = false;
  #streaming = false;
  #answered = false;
  #calls = new Map<string, "open" | "asked">();
  #seq = 0;

  take(event: SessionEvent, index: number): string | undefined {
    if (event.seq !== this.#seq + 1) return `seq ${event.seq} follows ${this.#seq}`;
    this.#seq = event.seq;
    if (this.over) return "comes after session_end";
    if ((index === 0) !== (event.kind === "session_start")) return "session_start must be first and only there";
    if (NOTES.has(event.kind)) return undefined;
    return this.#bracket(event);
  }

  #bracket(event: SessionEvent): string | undefined {
    switch (event.kind) {
      case "session_start":
        return undefined;
      case "session_end":
        this.over = true;
        return this.#input && event.data.reason !== "error" ? "an input is open" : undefined;
      case "user_input":
        // Several follow-ups may begin one input together.
        if (this.#turn) return "inside a turn";
        this.#input = true;
        return undefined;
      case "processing_end":
        if (!this.#input) return "no input is open";
        if (this.#turn) return "a turn is open";
        this.#input = false;
        return undefined;
      case "turn_start":
        if (!this.#input || this.#turn) return this.#turn ? "a turn is open" : "outside an input";
        this.#turn = true;
        this.#answered = false;
        return undefined;
      case "turn_end":
        if (!this.#turn) return "no turn is open";
        if (this.#streaming) return "an answer is open";
        if (this.#calls.size > 0) return `calls are open: ${[...this.#calls.keys()].join(", ")}`;
        this.#turn = false;
        return undefined;
      default:
        return this.#turn ? this.#insideTurn(event) : "outside a turn";
    }
  }

  #insideTurn(event: SessionEvent): string | undefined {
    switch (event.kind) {
      case "assistant_text_start":
        if (this.#streaming || this.#answered) return "an answer is open or done";
        this.#streaming = true;
        return undefined;
      case "assistant_text_delta":
      case "assistant_reasoning_delta":
      case "tool_call_args_delta":
        return this.#streaming ? undefined : "no answer is open";
      case "retry":
        if (event.data.discards !== this.#streaming) return `discards is ${event.data.discards}`;
        this.#streaming = false;
        return undefined;
      case "assistant_text_end":
        if (this.#answered) return "a second answer";
        this.#streaming = false;
        this.#answered = true;
        return undefined;
      default:
        return this.#call(event);
    }
  }

  #call(event: SessionEvent): string | undefined {
    switch (event.kind) {
      case "tool_call_start":
        if (this.#calls.has(event.data.call_id)) return "the call is open";
        this.#calls.set(event.data.call_id, "open");
        return undefined;
      case "tool_call_output_delta":
        return this.#calls.has(event.data.call_id) ? undefined : "the call is not open";
      case "approval_request":
        if (this.#calls.get(event.data.call_id) !== "open") return "the call is not open";
        this.#calls.set(event.data.call_id, "asked");
        return undefined;
      case "approval_settled":
        if (this.#calls.get(event.data.call_id) !== "asked") return "nobody asked";
        this.#calls.set(event.data.call_id, "open");
        return undefined;
      case "tool_call_end":
        if (this.#calls.get(event.data.call_id) !== "open") return "the call is not open or its approval is";
        this.#calls.delete(event.data.call_id);
        return undefined;
      default:
        return "not in the grammar";
    }
  }
}
