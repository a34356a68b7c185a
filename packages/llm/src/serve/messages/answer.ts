// Our events and answers as Anthropic's messages. A block is opened with its first content, so the indices of blocks
// are in the order in which a client sees them begin.

import { callIdOf } from "../../protocols/common/ids.ts";
import type { SDKError } from "../../types/errors.ts";
import type { StreamEvent } from "../../types/events.ts";
import type { JsonObject } from "../../types/json.ts";
import type { ContentPart, ThinkingData } from "../../types/message.ts";
import type { FinishReason, Response, Usage } from "../../types/response.ts";
import { type ContentEvent, StreamedAnswer, StreamedArguments, stopWord } from "../common/answer.ts";
import { carriedBeside, carriedThinking } from "../common/carrier.ts";
import { failureOf } from "../common/failure.ts";
import { countsOf } from "../common/usage.ts";
import { Pieces, sse } from "../common/write.ts";
import type { Refusal } from "../types.ts";
import { messagesErrorBody } from "./errors.ts";

const STOPS = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  other: "end_turn",
} as const;
/** The vendor's own stop reasons that say more than ours. */
const OWN_STOPS: ReadonlySet<string> = new Set(["stop_sequence", "pause_turn", "model_context_window_exceeded"]);

interface OpenBlock {
  readonly pieces: Pieces;
  readonly streamed?: StreamedArguments;
  /** The part of `content_block_delta` before the text; "" until the block is open. */
  head: string;
  index: number;
}

export class MessagesAnswer extends StreamedAnswer {
  readonly #blocks = new Map<string, OpenBlock>();
  #opened = 0;

  protected begin(
    id: string | undefined,
    model: string,
    start: Extract<StreamEvent, { type: "stream_start" }> | undefined,
  ): string {
    const usage = start?.usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const message = { ...this.#envelope(id, model), content: [], stop_reason: null, usage: this.#usage(usage) };
    return event("message_start", { message });
  }

  protected content(part: ContentEvent): string {
    switch (part.type) {
      case "text_delta":
        return this.#write(part.textId, { type: "text", text: "" }, "text_delta", "text", part.delta);
      case "text_end":
        return this.#close(part.textId);
      case "reasoning_delta":
        return this.#write(part.reasoningId, THINKING, "thinking_delta", "thinking", part.reasoningDelta);
      case "reasoning_end":
        return this.#endThinking(part.reasoningId, part.thinking);
      case "tool_call_start": {
        const { id, name } = part.toolCall;
        const block = this.#block(part.callKey, new StreamedArguments());
        const opening = this.#open(block, { type: "tool_use", id: callIdOf(id), name, input: {} });
        block.head = deltaHead(block.index, "input_json_delta", "partial_json");
        return opening;
      }
      case "tool_call_delta": {
        const block = this.#blocks.get(part.callKey);
        if (block?.streamed === undefined) return "";
        block.streamed.add(part.delta);
        return delta(block, block.pieces.next(part.delta));
      }
      case "tool_call_end": {
        const block = this.#blocks.get(part.callKey);
        if (block?.streamed === undefined) return "";
        const rest = block.streamed.rest(part.toolCall.rawArguments);
        return delta(block, rest === "{}" ? "" : rest) + this.#close(part.callKey);
      }
      default:
        return "";
    }
  }

  protected finish({ response }: Extract<StreamEvent, { type: "finish" }>): string {
    const carried = carriedBeside(response.message.content, { thoughts: false, items: true });
    const beside = carried === undefined ? "" : this.#whole({ type: "redacted_thinking", data: carried });
    const stop = { stop_reason: stopOf(response.finishReason), stop_sequence: null };
    const end = event("message_delta", { delta: stop, usage: this.#usage(response.usage, response.provider) });
    return `${beside}${end}${event("message_stop", {})}`;
  }

  protected encodeFailure(failure: SDKError | Refusal): string {
    return sse(JSON.stringify(messagesErrorBody(failureOf(failure))), "error");
  }

  protected body(response: Response): string {
    const carried = carriedBeside(response.message.content, { thoughts: false, items: true });
    const blocks = response.message.content.flatMap((part) => this.#blockOf(part));
    return JSON.stringify({
      ...this.#envelope(response.id, response.model),
      content: carried === undefined ? blocks : [...blocks, { type: "redacted_thinking", data: carried }],
      stop_reason: stopOf(response.finishReason),
      usage: this.#usage(response.usage, response.provider),
    });
  }

  #blockOf(part: ContentPart): JsonObject[] {
    switch (part.kind) {
      case "text":
        return part.text === "" ? [] : [{ type: "text", text: part.text }];
      case "tool_call": {
        const { id, name, arguments: args } = part.toolCall;
        const input = typeof args === "string" ? { input: args } : args;
        return [{ type: "tool_use", id: callIdOf(id), name, input }];
      }
      case "thinking":
      case "redacted_thinking": {
        const signature = this.#signature(part.thinking);
        if (part.thinking.redacted)
          return signature === undefined ? [] : [{ type: "redacted_thinking", data: signature }];
        if (part.thinking.text === "" && signature === undefined) return [];
        return [{ type: "thinking", thinking: part.thinking.text, signature: signature ?? "" }];
      }
      default:
        return [];
    }
  }

  /** Anthropic's own signatures stay as they are. */
  #signature(thinking: ThinkingData): string | undefined {
    return this.context.target.api === "anthropic-messages" ? thinking.signature : carriedThinking(thinking);
  }

  #envelope(id: string | undefined, model: string): JsonObject {
    return { id: id || `msg_${this.context.newId()}`, type: "message", role: "assistant", model, stop_sequence: null };
  }

  #usage(usage: Usage, provider = this.context.target.provider): JsonObject {
    const { input, output, cacheRead, cacheWrite, reasoning } = countsOf(usage, provider);
    return {
      input_tokens: Math.max(0, input - cacheRead - cacheWrite),
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: output,
      ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    };
  }

  #block(key: string, streamed?: StreamedArguments): OpenBlock {
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { pieces: new Pieces(), ...(streamed === undefined ? {} : { streamed }), head: "", index: -1 };
      this.#blocks.set(key, block);
    }
    return block;
  }

  #open(block: OpenBlock, opening: JsonObject): string {
    block.index = this.#opened;
    this.#opened += 1;
    return event("content_block_start", { index: block.index, content_block: opening });
  }

  #write(key: string, opening: JsonObject, type: string, field: string, text: string): string {
    const block = this.#block(key);
    let begin = "";
    if (block.head === "") {
      begin = this.#open(block, opening);
      block.head = deltaHead(block.index, type, field);
    }
    return begin + delta(block, block.pieces.next(text));
  }

  #endThinking(key: string, thinking: ThinkingData): string {
    const signature = this.#signature(thinking);
    const open = this.#blocks.get(key);
    if (open === undefined) {
      if (thinking.redacted)
        return signature === undefined ? "" : this.#whole({ type: "redacted_thinking", data: signature });
      if (signature === undefined) return "";
    }
    const begin = open === undefined ? this.#write(key, THINKING, "thinking_delta", "thinking", "") : "";
    const block = this.#block(key);
    const signed =
      signature === undefined
        ? ""
        : event("content_block_delta", { index: block.index, delta: { type: "signature_delta", signature } });
    return begin + signed + this.#close(key);
  }

  #whole(content: JsonObject): string {
    const block: OpenBlock = { pieces: new Pieces(), head: "", index: -1 };
    return this.#open(block, content) + event("content_block_stop", { index: block.index });
  }

  #close(key: string): string {
    const block = this.#blocks.get(key);
    if (block === undefined || block.index < 0) return "";
    return event("content_block_stop", { index: block.index });
  }
}

const THINKING: JsonObject = { type: "thinking", thinking: "", signature: "" };

const event = (type: string, fields: object): string => sse(JSON.stringify({ type, ...fields }), type);

const deltaHead = (index: number, type: string, field: string): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;

const delta = (block: OpenBlock, text: string): string =>
  text === "" ? "" : `${block.head}${JSON.stringify(text)}}}\n\n`;

function stopOf(finish: FinishReason): string {
  return finish.raw !== undefined && OWN_STOPS.has(finish.raw) ? finish.raw : stopWord(STOPS, finish);
}
