// The one state machine behind every vendor's stream: decoders report what they see; this enforces the event grammar
// (DM-11) and builds the Response. Text is appended to ropes, so a delta costs only its own bytes.

import type { SDKError } from "../types/errors.ts";
import { AbortError } from "../types/errors.ts";
import type { StreamEvent } from "../types/events.ts";
import type { JsonValue } from "../types/json.ts";
import type { Origin, ThinkingData } from "../types/message.ts";
import type { BlockSink, StreamStart } from "../types/protocol.ts";
import type { FinishReason, RateLimitInfo, Response, Usage, Warning } from "../types/response.ts";
import {
  type Block,
  type CallBlock,
  partOf,
  type ReasoningBlock,
  snapshot,
  type TextBlock,
  thinkingOf,
  type UnknownBlock,
} from "./block.ts";
import { makeResponse } from "./response.ts";

/** What a sink needs to know about its answer. */
export interface BlockSinkOptions {
  readonly provider: string;
  /** The requested model; reported until the vendor names one. */
  readonly model: string;
  readonly origin: Origin;
  readonly newId: () => string;
  /** Receives every event in order; absent for calls that only want the Response. */
  readonly emit?: ((event: StreamEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Removes secrets from an error that a decoder built. */
  readonly clean?: ((error: SDKError) => SDKError) | undefined;
  readonly warnings?: readonly Warning[] | undefined;
  readonly rateLimit?: RateLimitInfo | undefined;
}

/** The sink that enforces the event grammar and builds the response. */
export class Blocks implements BlockSink {
  readonly #options: BlockSinkOptions;
  readonly #emit: (event: StreamEvent) => void;
  #blocks: Block[] = [];
  #texts = new Map<string, TextBlock>();
  #reasonings = new Map<string, ReasoningBlock>();
  #calls = new Map<string, CallBlock>();
  #started = false;
  #id = "";
  #model: string;
  #usage: Partial<Usage> = {};
  #warnings: Warning[];
  #finish: FinishReason | undefined;
  #raw: JsonValue[] = [];
  #response: Response | undefined;
  #failure: SDKError | undefined;

  constructor(options: BlockSinkOptions) {
    this.#options = options;
    this.#emit = options.emit ?? (() => {});
    this.#model = options.model;
    this.#warnings = [...(options.warnings ?? [])];
  }

  get started(): boolean {
    return this.#started;
  }
  get terminal(): boolean {
    return this.#response !== undefined || this.#failure !== undefined;
  }
  get failure(): SDKError | undefined {
    return this.#failure;
  }
  get sawFinishReason(): boolean {
    return this.#finish !== undefined;
  }
  /** The finished Response; undefined until `done`. */
  get response(): Response | undefined {
    return this.#response;
  }

  start(info: StreamStart): void {
    if (this.terminal) return;
    if (info.id) this.#id ||= info.id;
    if (info.model) this.#model = info.model;
    if (info.usage) this.usage(info.usage);
    if (this.#started) return;
    this.#started = true;
    this.#emit({
      type: "stream_start",
      ...(this.#id === "" ? {} : { id: this.#id }),
      model: this.#model,
      ...(this.#warnings.length === 0 ? {} : { warnings: [...this.#warnings] }),
      ...(info.usage === undefined ? {} : { usage: this.#sumUsage() }),
    });
  }

  restart(info: StreamStart): void {
    if (this.terminal) return;
    if (this.#started) this.#emit({ type: "stream_restart" });
    this.#started = false;
    this.#blocks = [];
    this.#texts = new Map();
    this.#reasonings = new Map();
    this.#calls = new Map();
    this.#id = "";
    this.#usage = {};
    this.#finish = undefined;
    this.#raw = [];
    this.start(info);
  }

  text(key: string, delta: string): void {
    if (this.terminal) return;
    const block = this.#text(key);
    if (!block.open || delta === "") return;
    block.text += delta;
    this.#emit({ type: "text_delta", textId: block.id, delta });
  }

  endText(key: string, extra: { signature?: string; text?: string } = {}): void {
    if (this.terminal) return;
    const block = this.#text(key);
    if (!block.open) return;
    const missing = missingTail(block.text, extra.text);
    if (missing !== "") this.text(key, missing);
    if (extra.text !== undefined) block.text = extra.text;
    if (extra.signature !== undefined) block.signature = extra.signature;
    this.#close(block);
  }

  reasoning(key: string, delta: string): void {
    if (this.terminal) return;
    const block = this.#reasoning(key);
    if (!block.open || delta === "") return;
    block.text += delta;
    this.#emit({ type: "reasoning_delta", reasoningId: block.id, reasoningDelta: delta });
  }

  endReasoning(key: string, extra: Partial<ThinkingData> & { itemId?: string } = {}): void {
    if (this.terminal) return;
    const block = this.#reasoning(key);
    if (!block.open) return;
    const missing = missingTail(block.text, extra.text);
    if (missing !== "") this.reasoning(key, missing);
    if (extra.text !== undefined) block.text = extra.text;
    block.extra = extra;
    this.#close(block);
  }

  toolCall(key: string, call: { id?: string; name?: string; type?: "function" | "custom" }): void {
    if (this.terminal) return;
    const block = this.#call(key);
    if (!block.open) return;
    if (call.id && (block.id === undefined || block.ownId)) {
      block.id = call.id;
      block.ownId = false;
    }
    if (call.name && (!block.announced || block.name === "")) block.name = call.name;
    if (call.type !== undefined) block.type = call.type;
    if (block.name !== "") this.#announce(block);
  }

  toolArguments(key: string, fragment: string): void {
    if (this.terminal) return;
    const block = this.#call(key);
    if (!block.open || fragment === "") return;
    this.#announce(block);
    block.raw += fragment;
    this.#emit({ type: "tool_call_delta", callKey: key, toolCall: snapshot(block), delta: fragment });
  }

  endToolCall(key: string, extra: { arguments?: string; id?: string; signature?: string; itemId?: string } = {}): void {
    if (this.terminal) return;
    const block = this.#call(key);
    if (!block.open) return;
    if (extra.id) block.id = extra.id;
    const missing = missingTail(block.raw, extra.arguments);
    if (missing !== "") this.toolArguments(key, missing);
    if (extra.arguments !== undefined) block.raw = extra.arguments;
    if (extra.signature !== undefined) block.signature = extra.signature;
    if (extra.itemId !== undefined) block.itemId = extra.itemId;
    this.#close(block);
  }

  unknown(raw: JsonValue): void {
    if (this.terminal) return;
    this.start({});
    this.#blocks.push({ kind: "unknown", raw, open: false });
    this.#warnings.push({
      message: "The answer contains an item of an unknown type; it is kept unchanged.",
      code: "unknown_item",
    });
    this.#emit({ type: "provider_event", raw });
  }

  providerEvent(raw: JsonValue): void {
    if (this.terminal) return;
    this.start({});
    this.#emit({ type: "provider_event", raw });
  }

  usage(usage: Partial<Usage>): void {
    if (this.terminal) return;
    const raw = usage.raw === undefined ? this.#usage.raw : { ...this.#usage.raw, ...usage.raw };
    this.#usage = { ...this.#usage, ...usage, ...(raw === undefined ? {} : { raw }) };
  }

  warn(warning: Warning): void {
    if (!this.terminal) this.#warnings.push(warning);
  }

  finishReason(reason: FinishReason): void {
    if (!this.terminal) this.#finish = reason;
  }

  raw(raw: JsonValue): void {
    if (!this.terminal) this.#raw.push(raw);
  }

  finish(): void {
    if (this.terminal) return;
    if (this.#options.signal?.aborted) {
      this.fail(new AbortError("The request was aborted."));
      return;
    }
    this.start({});
    this.#closeAll();
    const response = this.#build(this.#finish ?? { reason: "other" });
    this.#response = response;
    this.#emit({ type: "finish", finishReason: response.finishReason, usage: response.usage, response });
  }

  /** Before the first event there is nothing to end, and the driver throws `failure` instead. */
  fail(failure: SDKError): void {
    if (this.terminal) return;
    const error = this.#options.clean?.(failure) ?? failure;
    if (!this.#started) {
      this.#failure = error;
      return;
    }
    this.#closeAll();
    this.#failure = error;
    // The error contains the vendor's body without secrets; the partial response must not bring them back.
    this.#raw = [];
    this.#emit({ type: "error", error, partial: this.#build({ reason: "error" }) });
  }

  /** The answer so far. */
  partial(): Response {
    return this.#response ?? this.#build(this.#finish ?? { reason: "other" });
  }

  #text(key: string): TextBlock {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    this.start({});
    const block: TextBlock = { kind: "text", id: `text_${key}`, text: "", open: true };
    this.#blocks.push(block);
    this.#texts.set(key, block);
    this.#emit({ type: "text_start", textId: block.id });
    return block;
  }

  #reasoning(key: string): ReasoningBlock {
    const known = this.#reasonings.get(key);
    if (known !== undefined) return known;
    this.start({});
    const block: ReasoningBlock = { kind: "reasoning", id: `reasoning_${key}`, text: "", extra: {}, open: true };
    this.#blocks.push(block);
    this.#reasonings.set(key, block);
    this.#emit({ type: "reasoning_start", reasoningId: block.id });
    return block;
  }

  #call(key: string): CallBlock {
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    this.start({});
    const block: CallBlock = {
      kind: "call",
      key,
      id: undefined,
      ownId: false,
      name: "",
      type: "function",
      raw: "",
      announced: false,
      open: true,
    };
    this.#blocks.push(block);
    this.#calls.set(key, block);
    return block;
  }

  #announce(block: CallBlock): void {
    if (block.announced) return;
    block.announced = true;
    if (block.id === undefined) {
      block.id = `call_${this.#options.newId()}`;
      block.ownId = true;
    }
    this.#emit({ type: "tool_call_start", callKey: block.key, toolCall: snapshot(block) });
  }

  #close(block: Exclude<Block, UnknownBlock>): void {
    if (block.kind === "call") this.#announce(block);
    block.open = false;
    if (block.kind === "text") this.#emit({ type: "text_end", textId: block.id, text: block.text });
    else if (block.kind === "reasoning")
      this.#emit({ type: "reasoning_end", reasoningId: block.id, thinking: thinkingOf(block, this.#options.origin) });
    else this.#emit({ type: "tool_call_end", callKey: block.key, toolCall: snapshot(block) });
  }

  #closeAll(): void {
    for (const block of this.#blocks) if (block.open) this.#close(block);
  }

  #sumUsage(): Usage {
    const { inputTokens = 0, outputTokens = 0 } = this.#usage;
    return { ...this.#usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  #build(reason: FinishReason): Response {
    const content = this.#blocks
      .filter((block) => block.kind !== "text" || block.text !== "" || block.signature !== undefined)
      .map((block) => partOf(block, this.#options.origin));
    const hasCalls = content.some((part) => part.kind === "tool_call");
    const raw = this.#raw.length > 1 ? this.#raw : this.#raw[0];
    return makeResponse({
      id: this.#id,
      model: this.#model,
      provider: this.#options.provider,
      message: { role: "assistant", content },
      // Many servers say "stop" although they call a tool. A length stop stays, because its last call may be
      // incomplete.
      finishReason: hasCalls && reason.reason === "stop" ? { ...reason, reason: "tool_calls" } : reason,
      usage: this.#sumUsage(),
      warnings: [...this.#warnings],
      ...(this.#options.rateLimit === undefined ? {} : { rateLimit: this.#options.rateLimit }),
      ...(raw === undefined ? {} : { raw }),
    });
  }
}

/** The text that a vendor sent only in its final event, as a last delta. */
function missingTail(streamed: string, whole: string | undefined): string {
  return whole !== undefined && whole.length > streamed.length && whole.startsWith(streamed)
    ? whole.slice(streamed.length)
    : "";
}
