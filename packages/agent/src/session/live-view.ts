// What is under way right now, for readers that join late. Everything finished is in the journal.

import type { JsonObject } from "@lathe/llm";
import type { SessionEvent, Snapshot } from "../contract/events/types.ts";

/** How much of a running tool's output we keep for readers that join late. */
const OUTPUT_TAIL = 64 * 1024;

interface LiveCall {
  readonly nested_in?: string;
  readonly tool_name: string;
  readonly arguments: JsonObject;
  output: string;
}

export class LiveView {
  readonly #base: () => Pick<Snapshot, "state" | "model" | "leaf_id">;
  readonly #calls = new Map<string, LiveCall>();
  #input: { entry_id: string; content: string } | undefined;
  #turn: number | undefined;
  #text: string | undefined;
  #reasoning = "";

  constructor(base: () => Pick<Snapshot, "state" | "model" | "leaf_id">) {
    this.#base = base;
  }

  follow(event: SessionEvent): void {
    switch (event.kind) {
      case "user_input":
        this.#input = { entry_id: event.data.entry_id, content: event.data.content };
        break;
      case "processing_end":
        this.#input = undefined;
        break;
      case "turn_start":
        this.#turn = event.data.turn;
        break;
      case "turn_end":
        this.#turn = undefined;
        this.#text = undefined;
        break;
      case "assistant_text_start":
        this.#text = "";
        this.#reasoning = "";
        break;
      case "assistant_text_delta":
        this.#text += event.data.delta;
        break;
      case "assistant_reasoning_delta":
        this.#reasoning += event.data.delta;
        break;
      case "retry":
      case "assistant_text_end":
        this.#text = undefined;
        break;
      case "tool_call_start":
        this.#calls.set(event.data.call_id, {
          ...(event.data.nested_in === undefined ? {} : { nested_in: event.data.nested_in }),
          tool_name: event.data.tool_name,
          arguments: event.data.arguments,
          output: "",
        });
        break;
      case "tool_call_output_delta": {
        const call = this.#calls.get(event.data.call_id);
        if (!call) break;
        call.output += event.data.delta;
        if (call.output.length > OUTPUT_TAIL * 2) call.output = call.output.slice(-OUTPUT_TAIL);
        break;
      }
      case "tool_call_end":
        this.#calls.delete(event.data.call_id);
        break;
    }
  }

  snapshot(): Snapshot {
    return {
      ...this.#base(),
      ...(this.#input ? { input: this.#input } : {}),
      ...(this.#turn === undefined ? {} : { turn: this.#turn }),
      ...(this.#text === undefined ? {} : { text: this.#text, reasoning: this.#reasoning }),
      calls: [...this.#calls].map(([call_id, call]) => ({ call_id, ...call })),
    };
  }
}
