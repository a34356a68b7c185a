// The Responses stream and body. Blocks are keyed by output_index, because proxies change item ids between events.

import { inStreamError } from "../../errors/classify.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { BlockSink, DecodeContext, Frame, ResponseDecoder } from "../../types/protocol.ts";
import type { Usage } from "../../types/response.ts";
import { parseFrame } from "../common/frame.ts";
import { textMark } from "./items.ts";

/** Progress events that add nothing to the others. */
const silent = new Set([
  "response.in_progress",
  "response.queued",
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.refusal.done",
  "response.reasoning_summary_part.done",
  "response.reasoning_summary_text.done",
  "response.reasoning_text.done",
  "response.custom_tool_call_input.done",
]);

export class ResponsesDecoder implements ResponseDecoder {
  readonly #context: DecodeContext;
  readonly #reportedModel: string | undefined;
  /** By output index: items that streamed, and those whose end has been emitted. */
  readonly #begun = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #texts = new Map<string, Set<string>>();
  readonly #doneArguments = new Map<string, string>();
  #current = "0";

  constructor(context: DecodeContext, reportedModel?: string) {
    this.#context = context;
    this.#reportedModel = reportedModel;
  }

  event(frame: Frame, out: BlockSink): void {
    const event = parseFrame(frame, out);
    if (!event) return;
    const type = typeof event["type"] === "string" ? event["type"] : (frame.event ?? "");
    const key = this.#key(event);
    const delta = typeof event["delta"] === "string" ? event["delta"] : "";
    switch (type) {
      case "response.created":
        this.#start(event["response"], out);
        break;
      case "response.output_item.added":
        if (isJsonObject(event["item"])) this.#open(key, event["item"], out);
        break;
      case "response.output_text.delta":
      case "response.refusal.delta":
        out.text(this.#textKey(key, event["content_index"]), delta);
        break;
      case "response.reasoning_summary_part.added":
        if (typeof event["summary_index"] === "number" && event["summary_index"] > 0) out.reasoning(key, "\n\n");
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        out.reasoning(key, delta);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        out.toolArguments(key, delta);
        break;
      case "response.function_call_arguments.done":
        if (typeof event["arguments"] === "string") this.#doneArguments.set(key, event["arguments"]);
        break;
      case "response.output_item.done":
        if (isJsonObject(event["item"])) this.#item(key, event["item"], out);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        if (isJsonObject(event["response"])) this.#finish(event["response"], out);
        break;
      case "error":
        out.fail(inStreamError(this.#context.provider, event["error"] ?? event));
        break;
      default:
        if (!silent.has(type)) out.providerEvent(event);
    }
  }

  body(body: JsonValue, out: BlockSink): void {
    if (!isJsonObject(body) || (body["output"] === undefined && body["status"] === undefined)) {
      out.fail(inStreamError(this.#context.provider, body));
      return;
    }
    this.#start(body, out);
    this.#finish(body, out);
  }

  end(): void {}

  #start(response: JsonValue | undefined, out: BlockSink): void {
    if (!isJsonObject(response)) return;
    const model = this.#reportedModel ?? response["model"];
    out.start({
      ...(typeof response["id"] === "string" ? { id: response["id"] } : {}),
      ...(typeof model === "string" ? { model } : {}),
    });
  }

  #key(event: JsonObject): string {
    if (typeof event["output_index"] !== "number") return this.#current;
    this.#current = String(event["output_index"]);
    this.#begun.add(this.#current);
    return this.#current;
  }

  #textKey(key: string, contentIndex: JsonValue | undefined): string {
    const text = `${key}.${typeof contentIndex === "number" ? contentIndex : 0}`;
    const known = this.#texts.get(key);
    if (known) known.add(text);
    else this.#texts.set(key, new Set([text]));
    return text;
  }

  #open(key: string, item: JsonObject, out: BlockSink): void {
    const name = typeof item["name"] === "string" ? { name: item["name"] } : {};
    if (item["type"] === "function_call") out.toolCall(key, { ...callId(item), ...name });
    else if (item["type"] === "custom_tool_call") out.toolCall(key, { ...callId(item), ...name, type: "custom" });
    else if (item["type"] === "reasoning") out.reasoning(key, "");
  }

  /** Handles a whole item: closes what was streamed of it and adds what was not. */
  #item(key: string, item: JsonObject, out: BlockSink): void {
    if (this.#closed.has(key)) return;
    this.#closed.add(key);
    const itemId = typeof item["id"] === "string" ? { itemId: item["id"] } : {};
    switch (item["type"]) {
      case "message":
        this.#message(key, item, out);
        break;
      case "reasoning": {
        const text = joinTexts(item["summary"]) || joinTexts(item["content"]);
        const signature = item["encrypted_content"];
        out.endReasoning(key, {
          ...(text === "" ? {} : { text }),
          ...(typeof signature === "string" ? { signature } : {}),
          ...itemId,
        });
        break;
      }
      case "function_call":
      case "custom_tool_call": {
        this.#open(key, item, out);
        const whole = item["type"] === "custom_tool_call" ? item["input"] : item["arguments"];
        const args = typeof whole === "string" && whole !== "" ? whole : this.#doneArguments.get(key);
        out.endToolCall(key, { ...callId(item), ...(args === undefined ? {} : { arguments: args }), ...itemId });
        break;
      }
      default:
        out.unknown(item);
    }
  }

  #message(key: string, item: JsonObject, out: BlockSink): void {
    const mark = textMark(
      typeof item["id"] === "string" ? item["id"] : undefined,
      typeof item["phase"] === "string" ? item["phase"] : undefined,
    );
    const signature = mark === undefined ? {} : { signature: mark };
    const parts = Array.isArray(item["content"]) ? item["content"].filter(isJsonObject) : [];
    for (const [index, part] of parts.entries()) {
      const text = part["type"] === "refusal" ? part["refusal"] : part["text"];
      if (part["type"] === "refusal")
        out.warn({ code: "refusal", message: "The model refused; its explanation is in the text" });
      if (typeof text === "string") out.endText(this.#textKey(key, index), { text, ...signature });
      else out.unknown(part);
    }
    for (const text of this.#texts.get(key) ?? []) out.endText(text, signature);
  }

  #finish(response: JsonObject, out: BlockSink): void {
    this.#start(response, out);
    const items = Array.isArray(response["output"]) ? response["output"] : [];
    // Some servers renumber the final list: after streamed items it may only complete those that began.
    const fresh = this.#begun.size === 0;
    for (const [index, item] of items.entries()) {
      if (isJsonObject(item) && (fresh || this.#begun.has(String(index)))) this.#item(String(index), item, out);
    }
    if (isJsonObject(response["usage"])) out.usage(readUsage(response["usage"]));
    out.raw(response);
    const status = typeof response["status"] === "string" ? response["status"] : "completed";
    if (status === "failed" || isJsonObject(response["error"])) {
      out.fail(inStreamError(this.#context.provider, response["error"] ?? response));
      return;
    }
    const details = isJsonObject(response["incomplete_details"]) ? response["incomplete_details"]["reason"] : undefined;
    out.finishReason(readStatus(status, typeof details === "string" ? details : undefined));
    out.finish();
  }
}

function callId(item: JsonObject): { id?: string } {
  const { call_id: call, id } = item;
  if (typeof call !== "string" || call === "") return typeof id === "string" ? { id } : {};
  return { id: typeof id === "string" && id !== "" ? `${call}|${id}` : call };
}

function joinTexts(parts: JsonValue | undefined): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .flatMap((part) => (isJsonObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n\n");
}

function readStatus(status: string, details: string | undefined) {
  switch (status) {
    case "completed":
      return { reason: "stop", raw: status } as const;
    case "incomplete":
      return { reason: details === "content_filter" ? "content_filter" : "length", raw: details ?? status } as const;
    case "cancelled":
      return { reason: "error", raw: status } as const;
    default:
      return { reason: "other", raw: status } as const;
  }
}

function readUsage(usage: JsonObject): Partial<Usage> & { raw: JsonObject } {
  const cached = isJsonObject(usage["input_tokens_details"])
    ? usage["input_tokens_details"]["cached_tokens"]
    : undefined;
  const reasoning = isJsonObject(usage["output_tokens_details"])
    ? usage["output_tokens_details"]["reasoning_tokens"]
    : undefined;
  return {
    ...(typeof usage["input_tokens"] === "number" ? { inputTokens: usage["input_tokens"] } : {}),
    ...(typeof usage["output_tokens"] === "number" ? { outputTokens: usage["output_tokens"] } : {}),
    ...(typeof cached === "number" ? { cacheReadTokens: cached } : {}),
    ...(typeof reasoning === "number" ? { reasoningTokens: reasoning } : {}),
    raw: usage,
  };
}
