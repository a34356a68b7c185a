// Builds a Response from events, for consumers that only see the stream.

import type { StreamEvent, StreamedToolCall } from "../types/events.ts";
import type { ContentPart } from "../types/message.ts";
import type { Response, Warning } from "../types/response.ts";
import { parseArguments } from "./partial-json.ts";
import { makeResponse } from "./response.ts";
import { NO_USAGE } from "./usage.ts";

/** Builds the response from the events of a stream. */
export class StreamAccumulator {
  readonly #provider: string;
  #id = "";
  #model = "";
  #warnings: readonly Warning[] = [];
  /** Parts in the order of their start events. */
  #parts = new Map<string, ContentPart | StreamedToolCall>();
  #final: Response | undefined;

  constructor(provider = "") {
    this.#provider = provider;
  }

  process(event: StreamEvent): void {
    switch (event.type) {
      case "stream_start":
        this.#id = event.id ?? "";
        this.#model = event.model ?? "";
        this.#warnings = event.warnings ?? [];
        this.#parts = new Map();
        this.#final = undefined;
        break;
      case "text_start":
        this.#parts.set(event.textId, { kind: "text", text: "" });
        break;
      case "text_delta": {
        const part = this.#parts.get(event.textId);
        if (isPart(part) && part.kind === "text")
          this.#parts.set(event.textId, { kind: "text", text: part.text + event.delta });
        break;
      }
      case "text_end":
        this.#parts.set(event.textId, { kind: "text", text: event.text });
        break;
      case "reasoning_start":
        this.#parts.set(event.reasoningId, { kind: "thinking", thinking: { text: "", redacted: false } });
        break;
      case "reasoning_delta": {
        const part = this.#parts.get(event.reasoningId);
        const text = (isPart(part) && part.kind === "thinking" ? part.thinking.text : "") + event.reasoningDelta;
        this.#parts.set(event.reasoningId, { kind: "thinking", thinking: { text, redacted: false } });
        break;
      }
      case "reasoning_end": {
        const kind = event.thinking.redacted ? "redacted_thinking" : "thinking";
        this.#parts.set(event.reasoningId, { kind, thinking: event.thinking });
        break;
      }
      case "tool_call_start":
      case "tool_call_delta":
        // Parsed only on demand, because a delta must not cost as much as everything before it.
        this.#parts.set(`call ${event.callKey}`, event.toolCall);
        break;
      case "tool_call_end":
        this.#parts.set(`call ${event.callKey}`, callPart(event.toolCall));
        break;
      case "finish":
        this.#final = event.response;
        break;
      case "error":
        this.#final = event.partial;
        break;
    }
  }

  /** The finished Response, or what has arrived so far with reason `other`. */
  response(): Response {
    return (
      this.#final ??
      makeResponse({
        id: this.#id,
        model: this.#model,
        provider: this.#provider,
        message: {
          role: "assistant",
          content: [...this.#parts.values()].map((part) => (isPart(part) ? part : runningCall(part))),
        },
        finishReason: { reason: "other" },
        usage: NO_USAGE,
        warnings: this.#warnings,
      })
    );
  }
}

function isPart(part: ContentPart | StreamedToolCall | undefined): part is ContentPart {
  return part !== undefined && "kind" in part;
}

function callPart({ id, name, type, rawArguments }: StreamedToolCall): ContentPart {
  const parsed = type === "custom" ? rawArguments : parseArguments(rawArguments);
  const toolCall = { id, name, type, arguments: parsed ?? {}, ...(parsed === undefined ? { rawArguments } : {}) };
  return { kind: "tool_call", toolCall };
}

/** The call with its arguments as far as they can be parsed. */
function runningCall(call: StreamedToolCall): ContentPart {
  const part = callPart(call);
  if (part.kind !== "tool_call" || part.toolCall.rawArguments === undefined) return part;
  return { kind: "tool_call", toolCall: { ...part.toolCall, arguments: call.arguments } };
}
