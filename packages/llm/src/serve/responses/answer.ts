// Our events and answers as OpenAI's Responses. Each block is an output item; items get their index when they begin.

import { callIdOf, itemIdOf } from "../../protocols/common/ids.ts";
import { parsePartialObject } from "../../stream/partial-json.ts";
import type { SDKError } from "../../types/errors.ts";
import type { StreamEvent, StreamedToolCall } from "../../types/events.ts";
import type { JsonObject } from "../../types/json.ts";
import type { ContentPart, ThinkingData, ToolCallData } from "../../types/message.ts";
import type { Response } from "../../types/response.ts";
import { argumentText, type ContentEvent, StreamedAnswer, StreamedArguments } from "../common/answer.ts";
import { carriedBeside, carriedThinking } from "../common/carrier.ts";
import { failureOf } from "../common/failure.ts";
import { openaiErrorBody } from "../common/openai-errors.ts";
import { countsOf } from "../common/usage.ts";
import { Pieces, sse } from "../common/write.ts";
import type { AnswerContext, Refusal } from "../types.ts";
import { OUR_ITEM } from "./items.ts";

interface OpenItem {
  readonly id: string;
  readonly index: number;
  readonly pieces: Pieces;
  readonly streamed: StreamedArguments;
  /** The call's name, and whether it is of a free-form tool. */
  readonly call?: {
    readonly callId: string;
    readonly name: string;
    readonly isCustom: boolean;
    readonly isRaw: boolean;
  };
}

export class ResponsesAnswer extends StreamedAnswer {
  readonly #customTools: ReadonlySet<string>;
  readonly #items = new Map<string, OpenItem>();
  /** Finished items by their index. */
  readonly #output: JsonObject[] = [];
  #begun = 0;
  #sequence = 0;
  #envelope: JsonObject = {};

  constructor(context: AnswerContext) {
    super(context);
    const tools = context.served.request.tools ?? [];
    this.#customTools = new Set(tools.flatMap(({ type, name }) => (type === "custom" ? [name] : [])));
  }

  protected begin(id: string | undefined, model: string): string {
    this.#envelope = this.#envelopeOf(id, model);
    const response = { ...this.#envelope, status: "in_progress", output: [], usage: null };
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response });
  }

  protected content(part: ContentEvent): string {
    switch (part.type) {
      case "text_delta":
        return this.#text(part.textId, part.delta);
      case "text_end":
        return this.#endText(part.textId, part.text);
      case "reasoning_delta":
        return this.#reasoning(part.reasoningId, part.reasoningDelta);
      case "reasoning_end":
        return this.#endReasoning(part.reasoningId, part.thinking);
      case "tool_call_start":
        return this.#openCall(part.callKey, part.toolCall);
      case "tool_call_delta": {
        const item = this.#items.get(part.callKey);
        if (item?.call === undefined) return "";
        item.streamed.add(part.delta);
        // A function call that represents a free-form one has its text inside JSON, so it is sent when it is complete.
        return item.call.isCustom && !item.call.isRaw ? "" : this.#arguments(item, item.pieces.next(part.delta));
      }
      case "tool_call_end":
        return this.#endCall(part.callKey, part.toolCall);
      default:
        return "";
    }
  }

  protected finish({ response }: Extract<StreamEvent, { type: "finish" }>): string {
    const carried = carriedBeside(response.message.content, this.#carriedBeside());
    const beside = carried === undefined ? "" : this.#wholeItem(reasoningItem(this.#itemId("rs"), "", carried));
    const final = this.#final(this.#envelope, this.#output, response);
    return beside + this.#event(`response.${final["status"]}`, { response: final });
  }

  protected encodeFailure(failure: SDKError | Refusal): string {
    const { message, code } = openaiErrorBody(failureOf(failure));
    const error = { code: code ?? "server_error", message: message ?? "" };
    const envelope = Object.keys(this.#envelope).length > 0 ? this.#envelope : this.#envelopeOf(undefined, "");
    const response = { ...envelope, status: "failed", error, output: [...this.#output], usage: null };
    return this.#event("response.failed", { response });
  }

  protected body(response: Response): string {
    const { content } = response.message;
    const items = content.flatMap((part) => this.#itemOf(part));
    const carried = carriedBeside(content, this.#carriedBeside());
    if (carried !== undefined) items.push(reasoningItem(this.#itemId("rs"), "", carried));
    return JSON.stringify(this.#final(this.#envelopeOf(response.id, response.model), items, response));
  }

  /**
   * Whether the carried data must include item ids; providers that speak this format have them on the items themselves.
   */
  #carriedBeside() {
    return { thoughts: false, items: !RESPONSES_APIS.has(this.context.target.api) };
  }

  #itemOf(part: ContentPart): JsonObject[] {
    switch (part.kind) {
      case "text":
        return part.text === "" ? [] : [messageItem(this.#itemId("msg"), part.text)];
      case "thinking":
      case "redacted_thinking": {
        const encrypted = carriedThinking(part.thinking);
        const { text, redacted } = part.thinking;
        if (encrypted === undefined && text === "") return [];
        return [reasoningItem(this.#itemId("rs"), redacted ? "" : text, encrypted)];
      }
      case "tool_call": {
        const { toolCall } = part;
        const isCustom = this.#isCustom(toolCall);
        const text = isCustom ? inputOf(toolCall.type, argumentText(toolCall)) : argumentText(toolCall) || "{}";
        const id = itemIdOf(toolCall.id) ?? this.#itemId(isCustom ? "ctc" : "fc");
        return [callItem({ callId: callIdOf(toolCall.id), name: toolCall.name, isCustom }, id, text, "completed")];
      }
      default:
        return [];
    }
  }

  #isCustom({ type, name }: Pick<ToolCallData, "type" | "name">): boolean {
    return type === "custom" || this.#customTools.has(name);
  }

  #envelopeOf(id: string | undefined, model: string): JsonObject {
    const { request, wishes } = this.context.served;
    return {
      id: id || `resp_${OUR_ITEM}${this.context.newId()}`,
      object: "response",
      created_at: Math.floor(this.context.now() / 1000),
      model,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: wishes.parallelCalls ?? true,
      temperature: request.temperature ?? null,
      top_p: request.topP ?? null,
      max_output_tokens: request.maxTokens ?? null,
      tool_choice: "auto",
      tools: [],
      previous_response_id: null,
      store: false,
    };
  }

  #final(envelope: JsonObject, output: readonly JsonObject[], { finishReason, usage, provider }: Response): JsonObject {
    const reasons: Readonly<Record<string, string>> = { length: "max_output_tokens", content_filter: "content_filter" };
    const reason = reasons[finishReason.reason];
    const { input, output: written, cacheRead, reasoning } = countsOf(usage, provider);
    return {
      ...envelope,
      status: reason === undefined ? "completed" : "incomplete",
      incomplete_details: reason === undefined ? null : { reason },
      output: [...output],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cacheRead },
        output_tokens: written,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + written,
      },
    };
  }

  #event(type: string, fields: object): string {
    const sequence_number = this.#sequence++;
    return sse(JSON.stringify({ type, ...fields, sequence_number }), type);
  }

  #itemId(prefix: string): string {
    return `${prefix}_${OUR_ITEM}${this.context.newId()}`;
  }

  #begin(key: string, id: string, call?: OpenItem["call"]): OpenItem {
    const index = this.#begun++;
    const streamed = new StreamedArguments();
    const item: OpenItem = { id, index, pieces: new Pieces(), streamed, ...(call === undefined ? {} : { call }) };
    this.#items.set(key, item);
    return item;
  }

  #itemAdded(item: OpenItem, opening: JsonObject): string {
    return this.#event("response.output_item.added", { output_index: item.index, item: opening });
  }

  #itemDone(item: OpenItem, whole: JsonObject): string {
    this.#output[item.index] = whole;
    return this.#event("response.output_item.done", { output_index: item.index, item: whole });
  }

  #text(key: string, delta: string): string {
    let item = this.#items.get(key);
    let opening = "";
    if (item === undefined) {
      item = this.#begin(key, this.#itemId("msg"));
      opening = this.#itemAdded(item, { ...messageItem(item.id, ""), status: "in_progress", content: [] });
      opening += this.#event("response.content_part.added", { ...place(item), content_index: 0, part: textPart("") });
    }
    const text = item.pieces.next(delta);
    if (text === "") return opening;
    const head = `{"type":"response.output_text.delta","item_id":"${item.id}","output_index":${item.index},"content_index":0,"delta":`;
    const data = `${head}${JSON.stringify(text)},"logprobs":[],"sequence_number":${this.#sequence++}}`;
    return opening + sse(data, "response.output_text.delta");
  }

  #endText(key: string, text: string): string {
    const item = this.#items.get(key);
    if (item === undefined) return "";
    const at = { ...place(item), content_index: 0 };
    return (
      this.#event("response.output_text.done", { ...at, text, logprobs: [] }) +
      this.#event("response.content_part.done", { ...at, part: textPart(text) }) +
      this.#itemDone(item, messageItem(item.id, text))
    );
  }

  #reasoning(key: string, delta: string): string {
    let item = this.#items.get(key);
    let opening = "";
    if (item === undefined) {
      item = this.#begin(key, this.#itemId("rs"));
      opening = this.#itemAdded(item, reasoningItem(item.id, "", undefined));
      const part = { type: "summary_text", text: "" };
      opening += this.#event("response.reasoning_summary_part.added", { ...place(item), summary_index: 0, part });
    }
    const text = item.pieces.next(delta);
    if (text === "") return opening;
    return (
      opening + this.#event("response.reasoning_summary_text.delta", { ...place(item), summary_index: 0, delta: text })
    );
  }

  #endReasoning(key: string, thinking: ThinkingData): string {
    const encrypted = carriedThinking(thinking);
    const open = this.#items.get(key);
    if (open === undefined)
      return encrypted === undefined ? "" : this.#wholeItem(reasoningItem(this.#itemId("rs"), "", encrypted));
    const at = { ...place(open), summary_index: 0 };
    const { text } = thinking;
    return (
      this.#event("response.reasoning_summary_text.done", { ...at, text }) +
      this.#event("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } }) +
      this.#itemDone(open, reasoningItem(open.id, text, encrypted))
    );
  }

  #wholeItem(whole: JsonObject): string {
    const item = this.#begin(String(whole["id"]), String(whole["id"]));
    return this.#itemAdded(item, { ...whole, encrypted_content: "" }) + this.#itemDone(item, whole);
  }

  #openCall(key: string, { id, name, type }: StreamedToolCall): string {
    const isCustom = this.#isCustom({ type, name });
    const call = { callId: callIdOf(id), name, isCustom, isRaw: type === "custom" };
    const item = this.#begin(key, itemIdOf(id) ?? this.#itemId(isCustom ? "ctc" : "fc"), call);
    return this.#itemAdded(item, callItem(call, item.id, "", "in_progress"));
  }

  #arguments(item: OpenItem, delta: string): string {
    if (delta === "") return "";
    const what = item.call?.isCustom ? "custom_tool_call_input" : "function_call_arguments";
    return this.#event(`response.${what}.delta`, { ...place(item), delta });
  }

  #endCall(key: string, { type, rawArguments }: StreamedToolCall): string {
    const item = this.#items.get(key);
    if (item?.call === undefined) return "";
    const { call } = item;
    if (call.isCustom) {
      const input = inputOf(type, rawArguments);
      const late = call.isRaw ? "" : this.#arguments(item, input);
      const done = this.#event("response.custom_tool_call_input.done", { ...place(item), input });
      return late + done + this.#itemDone(item, callItem(call, item.id, input, "completed"));
    }
    const rest = this.#arguments(item, item.streamed.rest(rawArguments));
    const args = rawArguments.trim() === "" ? "{}" : rawArguments;
    const done = { ...place(item), name: call.name, arguments: args };
    return (
      rest +
      this.#event("response.function_call_arguments.done", done) +
      this.#itemDone(item, callItem(call, item.id, args, "completed"))
    );
  }
}

/** Providers that speak this format themselves. */
const RESPONSES_APIS: ReadonlySet<string> = new Set([
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
]);

const place = ({ id, index }: OpenItem) => ({ item_id: id, output_index: index });

const textPart = (text: string): JsonObject => ({ type: "output_text", text, annotations: [], logprobs: [] });

const messageItem = (id: string, text: string): JsonObject => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [textPart(text)],
});

const reasoningItem = (id: string, text: string, encrypted: string | undefined): JsonObject => ({
  id,
  type: "reasoning",
  summary: text === "" ? [] : [{ type: "summary_text", text }],
  ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
});

function callItem(
  { callId, name, isCustom }: { readonly callId: string; readonly name: string; readonly isCustom: boolean },
  id: string,
  text: string,
  status: string,
): JsonObject {
  return isCustom
    ? { id, type: "custom_tool_call", status, call_id: callId, name, input: text }
    : { id, type: "function_call", status, call_id: callId, name, arguments: text };
}

/** The text of a free-form call; providers without such calls put it into a member of an object. */
function inputOf(type: "function" | "custom", text: string): string {
  if (type === "custom") return text;
  const { input } = parsePartialObject(text);
  return typeof input === "string" ? input : text;
}
