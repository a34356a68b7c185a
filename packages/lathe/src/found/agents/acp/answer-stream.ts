// The events of one answer of an ACP agent, in the grammar of streams. The cost is unknown: tokens are estimated from
// the characters, and the session's cost table shows the answer without a price.

import { randomUUID } from "node:crypto";
import {
  type JsonObject,
  type Request,
  type SDKError,
  StreamAccumulator,
  type StreamEvent,
  textOf,
  type Usage,
} from "@lathe/llm";

const CHARS_PER_TOKEN = 4;

export class AnswerStream {
  readonly #request: Request;
  readonly #whole: StreamAccumulator;
  #open: { readonly kind: "text" | "thought"; readonly id: string; text: string } | undefined;
  #blocks = 0;
  #characters = 0;
  hasCalls = false;

  constructor(request: Request) {
    this.#request = request;
    this.#whole = new StreamAccumulator(request.provider);
  }

  *start(): Generator<StreamEvent> {
    yield this.#event({ type: "stream_start", model: this.#request.model });
  }

  *say(kind: "text" | "thought", text: string): Generator<StreamEvent> {
    if (this.#open?.kind !== kind) {
      yield* this.#end();
      const id = String(this.#blocks++);
      this.#open = { kind, id, text: "" };
      yield this.#event(
        kind === "text" ? { type: "text_start", textId: id } : { type: "reasoning_start", reasoningId: id },
      );
    }
    const { id } = this.#open!;
    this.#open!.text += text;
    this.#characters += text.length;
    yield this.#event(
      kind === "text"
        ? { type: "text_delta", textId: id, delta: text }
        : { type: "reasoning_delta", reasoningId: id, reasoningDelta: text },
    );
  }

  *call(id: string = `acp_${randomUUID()}`, name: string, args: JsonObject): Generator<StreamEvent> {
    yield* this.#end();
    this.hasCalls = true;
    const callKey = String(this.#blocks++);
    const raw = JSON.stringify(args);
    this.#characters += raw.length;
    const toolCall = { id, name, type: "function" as const, arguments: args, rawArguments: raw };
    yield this.#event({ type: "tool_call_start", callKey, toolCall: { ...toolCall, rawArguments: "", arguments: {} } });
    yield this.#event({ type: "tool_call_delta", callKey, toolCall, delta: raw });
    yield this.#event({ type: "tool_call_end", callKey, toolCall });
  }

  *finish(): Generator<StreamEvent> {
    yield* this.#end();
    const finishReason = { reason: "tool_calls" as const };
    const usage = this.#usage();
    const response = { ...this.#whole.response(), finishReason, usage };
    yield { type: "finish", finishReason, usage, response };
  }

  *fail(error: SDKError): Generator<StreamEvent> {
    yield* this.#end();
    yield { type: "error", error, partial: this.#whole.response() };
  }

  *#end(): Generator<StreamEvent> {
    const block = this.#open;
    if (!block) return;
    this.#open = undefined;
    const { id, text } = block;
    yield this.#event(
      block.kind === "text"
        ? { type: "text_end", textId: id, text }
        : { type: "reasoning_end", reasoningId: id, thinking: { text, redacted: false } },
    );
  }

  #event(event: StreamEvent): StreamEvent {
    this.#whole.process(event);
    return event;
  }

  #usage(): Usage {
    const last = this.#request.messages.at(-1);
    const inputTokens = Math.ceil((last ? textOf(last).length : 0) / CHARS_PER_TOKEN);
    const outputTokens = Math.max(1, Math.ceil(this.#characters / CHARS_PER_TOKEN));
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      estimated: ["inputTokens", "outputTokens"],
    };
  }
}
