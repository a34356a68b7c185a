// One block of an answer while it streams in: text, thinking, a call or something unknown, and its final form.

import type { StreamedToolCall } from "../types/events.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { ContentPart, Origin, ThinkingData } from "../types/message.ts";
import { parseArguments, parsePartialObject } from "./partial-json.ts";

export interface TextBlock {
  readonly kind: "text";
  readonly id: string;
  text: string;
  signature?: string;
  open: boolean;
}
export interface ReasoningBlock {
  readonly kind: "reasoning";
  readonly id: string;
  text: string;
  extra: Partial<ThinkingData> & { itemId?: string };
  open: boolean;
}
export interface CallBlock {
  readonly kind: "call";
  readonly key: string;
  id: string | undefined;
  /** True if we made the id because none had come; the vendor's may still arrive. */
  ownId: boolean;
  name: string;
  type: "function" | "custom";
  raw: string;
  announced: boolean;
  signature?: string;
  itemId?: string;
  open: boolean;
}
export interface UnknownBlock {
  readonly kind: "unknown";
  readonly raw: JsonValue;
  open: false;
}
export type Block = TextBlock | ReasoningBlock | CallBlock | UnknownBlock;

export function thinkingOf(block: ReasoningBlock, from: Origin): ThinkingData {
  const { itemId, signature, redacted } = block.extra;
  return {
    text: block.text,
    ...(signature === undefined ? {} : { signature }),
    redacted: redacted ?? false,
    origin: { ...from, ...(itemId === undefined ? {} : { itemId }) },
  };
}

/** The content parts that a block becomes. */
export function partOf(block: Block, origin: Origin): ContentPart {
  switch (block.kind) {
    case "text":
      return {
        kind: "text",
        text: block.text,
        ...(block.signature === undefined ? {} : { signature: block.signature, origin }),
      };
    case "reasoning": {
      const thinking = thinkingOf(block, origin);
      return { kind: thinking.redacted ? "redacted_thinking" : "thinking", thinking };
    }
    case "call":
      return { kind: "tool_call", toolCall: toolCallData(block, origin) };
    case "unknown":
      return { kind: "unknown", raw: block.raw, origin };
  }
}

function toolCallData(block: CallBlock, from: Origin) {
  const parsed = block.type === "custom" ? block.raw : parseArguments(block.raw);
  const { signature, itemId } = block;
  return {
    id: block.id ?? "",
    name: block.name,
    type: block.type,
    arguments: parsed ?? {},
    ...(parsed === undefined ? { rawArguments: block.raw } : {}),
    ...(signature === undefined ? {} : { signature }),
    ...(signature === undefined && itemId === undefined
      ? {}
      : { origin: { ...from, ...(itemId === undefined ? {} : { itemId }) } }),
  };
}

/** A call as it is now, for an event. */
export function snapshot(block: CallBlock): StreamedToolCall {
  return new CallSnapshot(block.id ?? "", block.name, block.type, block.raw);
}

/** A call at one moment. Later moments share the rope in `rawArguments`; nothing is parsed until it is read. */
class CallSnapshot implements StreamedToolCall {
  readonly id: string;
  readonly name: string;
  readonly type: "function" | "custom";
  readonly rawArguments: string;
  constructor(id: string, name: string, type: "function" | "custom", rawArguments: string) {
    this.id = id;
    this.name = name;
    this.type = type;
    this.rawArguments = rawArguments;
  }
  get arguments(): JsonObject {
    return this.type === "custom" ? { input: this.rawArguments } : parsePartialObject(this.rawArguments);
  }
  toJSON(): JsonValue {
    return {
      id: this.id,
      name: this.name,
      type: this.type,
      arguments: this.arguments,
      rawArguments: this.rawArguments,
    };
  }
}
