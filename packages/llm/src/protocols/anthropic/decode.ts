// Reports Anthropic's answer, streamed or whole, to the block sink. Blocks are identified only by position: the index,
// and how often it was opened.

import { inStreamError } from "../../errors/classify.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { Usage } from "../../types/response.ts";
import { parseFrame } from "../common/frame.ts";
import { list, object, string } from "../common/json.ts";
import { RepeatedChunk } from "../common/repeated-chunk.ts";
import { structuredOutputTool } from "./structured.ts";
import { anthropicFinish, anthropicUsage, estimateReasoning } from "./usage.ts";

interface OpenBlock {
  readonly key: string;
  readonly kind: "text" | "thinking" | "tool" | "answer" | "other";
  /** The block's start event. */
  readonly start: JsonObject;
  signature: string;
  /** Argument text of blocks that we do not model; `touched` says whether any fragment arrived. */
  fragments: string;
  touched: boolean;
}

export class AnthropicDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  readonly #repeated = new RepeatedChunk();
  #open = new Map<number, OpenBlock>();
  #opened = 0;
  #started = false;
  #thinkingChars = 0;
  #countedReasoning = false;
  #sawStop = false;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  event(frame: Frame, out: BlockSink): void {
    if (this.#repeated.isTaken(frame.data)) return;
    this.#repeated.forget();
    const event = parseFrame(frame, out);
    if (event === undefined) return;
    const type = string(event["type"]) ?? frame.event;
    const index = typeof event["index"] === "number" ? event["index"] : 0;
    switch (type) {
      case "content_block_delta":
        this.#delta(index, event, out);
        if (type === event["type"]) this.#learn(frame.data, index, event, out);
        return;
      case "content_block_start":
        this.#close(index, out);
        this.#begin(index, object(event["content_block"]) ?? {}, out);
        return;
      case "content_block_stop":
        this.#close(index, out);
        return;
      case "message_start":
        this.#start(object(event["message"]) ?? {}, out);
        return;
      case "message_delta":
        this.#messageDelta(event, out);
        return;
      case "message_stop":
        this.#finish(out);
        return;
      case "error":
        out.fail(inStreamError(this.#context.provider, event));
        return;
      case "ping":
        return;
      default:
        // Gateways report their own failures in another vendor's format.
        if (isJsonObject(event["error"])) out.fail(inStreamError(this.#context.provider, event));
        else out.providerEvent(event);
    }
  }

  body(body: JsonValue, out: BlockSink): void {
    const message = object(body) ?? {};
    if (!Array.isArray(message["content"])) {
      out.fail(inStreamError(this.#context.provider, body));
      return;
    }
    this.#start(message, out);
    list(message["content"]).forEach((block, index) => {
      if (!isJsonObject(block)) return;
      this.#begin(index, block, out);
      this.#close(index, out);
    });
    this.#stopReason(message, out);
    out.raw(body);
    this.#finish(out);
  }

  end(out: BlockSink): void {
    if (!this.#sawStop) return;
    out.warn({ message: "the stream ended without its closing event", code: "missing_terminal" });
    this.#finish(out);
  }

  #start(message: JsonObject, out: BlockSink): void {
    const id = string(message["id"]);
    const model = string(message["model"]);
    const isRestart = this.#started;
    this.#started = true;
    if (isRestart) {
      this.#open = new Map();
      this.#opened = 0;
      this.#thinkingChars = 0;
      this.#countedReasoning = false;
      this.#sawStop = false;
    }
    const info = { id, model, usage: this.#usageOf(message) };
    if (isRestart) out.restart(info);
    else out.start(info);
  }

  #begin(index: number, start: JsonObject, out: BlockSink): void {
    const type = string(start["type"]);
    const block = this.#openBlock(index, kindOf(type, start), start);
    const { key } = block;
    if (block.kind === "text") {
      const text = string(start["text"]);
      if (text) out.text(key, text);
    } else if (block.kind === "thinking") {
      block.signature = string(start[type === "redacted_thinking" ? "data" : "signature"]) ?? "";
      const text = string(start["thinking"]) ?? "";
      this.#thinkingChars += text.length;
      out.reasoning(key, text);
    } else if (block.kind === "tool") {
      const id = string(start["id"]);
      const name = string(start["name"]);
      out.toolCall(key, { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) });
    }
  }

  #openBlock(index: number, kind: OpenBlock["kind"], start: JsonObject): OpenBlock {
    const key = String(this.#opened);
    this.#opened += 1;
    const block: OpenBlock = { key, kind, start, signature: "", fragments: "", touched: false };
    this.#open.set(index, block);
    return block;
  }

  #delta(index: number, event: JsonObject, out: BlockSink): void {
    const delta = object(event["delta"]) ?? {};
    const type = delta["type"];
    const block = this.#open.get(index) ?? this.#openBlock(index, kindOfDelta(type), {});
    if (type === "text_delta" && block.kind === "text") {
      this.#text(block, string(delta["text"]) ?? "", out);
    } else if (type === "input_json_delta") {
      this.#fragment(block, string(delta["partial_json"]) ?? "", out);
    } else if (type === "thinking_delta" && block.kind === "thinking") {
      this.#text(block, string(delta["thinking"]) ?? "", out);
    } else if (type === "signature_delta") {
      block.signature += string(delta["signature"]) ?? "";
    } else {
      out.providerEvent(event);
    }
  }

  /** Deltas of text or thinking come in long runs. */
  #learn(data: string, index: number, event: JsonObject, out: BlockSink): void {
    const delta = object(event["delta"]) ?? {};
    const block = this.#open.get(index);
    const name = delta["type"] === "text_delta" ? "text" : delta["type"] === "thinking_delta" ? "thinking" : undefined;
    if (name === undefined || block?.kind !== name) return;
    const text = string(delta[name]) ?? "";
    if (text !== "") this.#repeated.learn(data, name, text, (next) => this.#text(block, next, out));
  }

  #text(block: OpenBlock, text: string, out: BlockSink): void {
    if (block.kind === "text") {
      if (text !== "") block.touched = true;
      out.text(block.key, text);
    } else {
      this.#thinkingChars += text.length;
      out.reasoning(block.key, text);
    }
  }

  #fragment(block: OpenBlock, fragment: string, out: BlockSink): void {
    if (fragment !== "") block.touched = true;
    if (block.kind === "tool") out.toolArguments(block.key, fragment);
    else if (block.kind === "answer") out.text(block.key, fragment);
    else block.fragments += fragment;
  }

  #close(index: number, out: BlockSink): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    const { key, start } = block;
    if (block.kind === "text") {
      // A text block that stayed empty was never opened.
      if (block.touched || start["text"] !== "") out.endText(key);
    } else if (block.kind === "thinking") {
      const redacted = start["type"] === "redacted_thinking";
      out.endReasoning(key, { redacted, ...(block.signature === "" ? {} : { signature: block.signature }) });
    } else if (block.kind === "other") {
      out.unknown(withFragments(start, block.fragments));
    } else {
      // Whole answers, and some gateways' streams, have the arguments in the start event.
      const input = block.touched ? undefined : object(start["input"]);
      const whole = input && Object.keys(input).length > 0 ? JSON.stringify(input) : undefined;
      if (block.kind === "tool") out.endToolCall(key, whole === undefined ? {} : { arguments: whole });
      else out.endText(key, whole === undefined ? {} : { text: whole });
    }
  }

  #messageDelta(event: JsonObject, out: BlockSink): void {
    this.#stopReason(object(event["delta"]) ?? {}, out);
    const usage = this.#usageOf(event);
    if (usage) out.usage(usage);
    out.raw(event);
  }

  #stopReason(holder: JsonObject, out: BlockSink): void {
    const reason = string(holder["stop_reason"]);
    if (reason === undefined) return;
    this.#sawStop = true;
    const structured = reason === "tool_use" && this.#context.request.responseFormat?.type === "json_schema";
    out.finishReason(structured ? { reason: "stop", raw: reason } : anthropicFinish(reason));
  }

  #usageOf(holder: JsonObject): Partial<Usage> | undefined {
    const raw = object(holder["usage"]);
    const usage = raw && anthropicUsage(raw);
    if (usage?.reasoningTokens !== undefined) this.#countedReasoning = true;
    return usage;
  }

  #finish(out: BlockSink): void {
    for (const index of [...this.#open.keys()]) this.#close(index, out);
    if (this.#thinkingChars > 0 && !this.#countedReasoning) out.usage(estimateReasoning(this.#thinkingChars));
    out.finish();
  }
}

function kindOf(type: string | undefined, start: JsonObject): OpenBlock["kind"] {
  if (type === "text") return "text";
  if (type === "thinking" || type === "redacted_thinking") return "thinking";
  if (type === "tool_use") return start["name"] === structuredOutputTool ? "answer" : "tool";
  return "other";
}

/** A delta whose start event never came still tells its kind. */
function kindOfDelta(type: JsonValue | undefined): OpenBlock["kind"] {
  if (type === "thinking_delta" || type === "signature_delta") return "thinking";
  return type === "input_json_delta" ? "tool" : "text";
}

function withFragments(start: JsonObject, fragments: string): JsonObject {
  if (fragments === "") return start;
  try {
    return { ...start, input: JSON.parse(fragments) as JsonValue };
  } catch {
    return { ...start, input: { raw: fragments } };
  }
}
