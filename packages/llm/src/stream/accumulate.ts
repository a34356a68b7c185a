// From events back to a Response, for consumers that only see the stream.

import type { StreamEvent } from "../types/events.ts";
import type { ContentPart } from "../types/message.ts";
import type { Response, Warning } from "../types/response.ts";
import { parseArguments } from "./partial-json.ts";
import { makeResponse } from "./response.ts";
import { NO_USAGE } from "./usage.ts";

export class StreamAccumulator {
  readonly #provider: string;
  #id = "";
  #model = "";
  #warnings: readonly Warning[] = [];
  /** Parts in the order of their start events. */
  #parts = new Map<string, ContentPart>();
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
        if (part?.kind === "text") this.#parts.set(event.textId, { kind: "text", text: part.text + event.delta });
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
        const text = (part?.kind === "thinking" ? part.thinking.text : "") + event.reasoningDelta;
        this.#parts.set(event.reasoningId, { kind: "thinking", thinking: { text, redacted: false } });
        break;
      }
      case "reasoning_end": {
        const kind = event.thinking.redacted ? "redacted_thinking" : "thinking";
        this.#parts.set(event.reasoningId, { kind, thinking: event.thinking });
        break;
      }
      case "tool_call_start":
      case "tool_call_end": {
        const { id, name, type, rawArguments } = event.toolCall;
        const parsed = type === "custom" ? rawArguments : parseArguments(rawArguments);
        this.#parts.set(`call ${event.callKey}`, {
          kind: "tool_call",
          toolCall: { id, name, type, arguments: parsed ?? {}, ...(parsed === undefined ? { rawArguments } : {}) },
        });
        break;
      }
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
        message: { role: "assistant", content: [...this.#parts.values()] },
        finishReason: { reason: "other" },
        usage: NO_USAGE,
        warnings: this.#warnings,
      })
    );
  }
}
