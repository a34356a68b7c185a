// One message as Anthropic content blocks in JSON text. A message is encoded once; merging neighbours and placing cache
// markers only joins these texts.

import { textOfBase64 } from "../../media/base64.ts";
import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type {
  CacheControl,
  ContentPart,
  DocumentData,
  ImageData,
  Message,
  Origin,
  ThinkingPart,
  ToolCallData,
  ToolResultData,
} from "../../types/message.ts";
import type { Warning } from "../../types/response.ts";
import { encodeJson } from "../common/encode-json.ts";
import { unsupportedContent } from "../common/media.ts";
import { assertFormat, mediaSource } from "./media.ts";
import { safeToolId } from "./tool-ids.ts";

/** JSON text of one content block, an object. */
export interface Block {
  readonly text: string;
  /** Whether a cache breakpoint may follow it; never after thinking. */
  readonly markable: boolean;
  /** The breakpoint that the caller set. */
  readonly marker?: CacheControl;
}

export interface EncodedMessage {
  readonly role: "user" | "assistant";
  /** Tool results, which come first in the wire message. */
  readonly results: readonly Block[];
  readonly rest: readonly Block[];
  /** All blocks joined, for the common case without markers. */
  readonly joined: string;
  /** The breakpoints that the caller set on any of its blocks. */
  readonly markers: readonly CacheControl[];
  readonly leadsWithThinking: boolean;
  readonly hasToolBlocks: boolean;
  readonly calledTools: readonly string[];
  readonly warnings: readonly Warning[];
  readonly segment: Segment;
}

/** The shapes of a vendor's blocks; Bedrock has its own shapes for the same content. */
export interface BlockDialect {
  text(text: string): JsonObject;
  image(image: ImageData): JsonObject;
  document(document: DocumentData): JsonObject;
  toolCall(call: ToolCallData): JsonObject;
  toolResult(result: ToolResultData): JsonObject;
  /** Undefined if the thinking cannot be sent back (unsigned). */
  thinking(part: ThinkingPart): JsonObject | undefined;
}

interface BlockContext {
  readonly provider: string;
  readonly model: string;
  /** Whether to turn another model's thinking into text instead of dropping it. */
  readonly foreignThinkingAsText: boolean;
  readonly dialect: BlockDialect;
}

export function encodeMessage(message: Message, context: BlockContext): EncodedMessage {
  const warnings: Warning[] = [];
  const results: Block[] = [];
  const rest: Block[] = [];
  for (const part of message.content.flatMap(imagesBesideErrors)) {
    const json = encodePart(part, context, warnings);
    if (json === undefined) continue;
    const block: Block = {
      text: encodeJson(json),
      markable: part.kind !== "thinking" && part.kind !== "redacted_thinking",
      ...("cacheControl" in part && part.cacheControl ? { marker: part.cacheControl } : {}),
    };
    (part.kind === "tool_result" ? results : rest).push(block);
  }
  // The vendor refuses a message that ends in thinking, which happens if the answer was cut off there.
  while (message.role === "assistant" && rest.at(-1)?.markable === false) rest.pop();
  const joined = [...results, ...rest].map((block) => block.text).join(",");
  return {
    role: message.role === "assistant" ? "assistant" : "user",
    results,
    rest,
    joined,
    markers: [...results, ...rest].flatMap((block) => block.marker ?? []),
    leadsWithThinking: rest[0]?.markable === false,
    hasToolBlocks: message.content.some((part) => part.kind === "tool_call" || part.kind === "tool_result"),
    calledTools: message.content.flatMap((part) => (part.kind === "tool_call" ? [part.toolCall.name] : [])),
    warnings,
    segment: makeSegment("message", joined, message),
  };
}

/** A failed result may only contain text, so its images follow the results. */
function imagesBesideErrors(part: ContentPart): readonly ContentPart[] {
  if (part.kind !== "tool_result" || !part.toolResult.isError || part.toolResult.images === undefined) return [part];
  const { images, ...toolResult } = part.toolResult;
  return [{ ...part, toolResult }, ...images.map((image): ContentPart => ({ kind: "image", image }))];
}

function encodePart(part: ContentPart, context: BlockContext, warnings: Warning[]): JsonValue | undefined {
  const { dialect, provider } = context;
  switch (part.kind) {
    case "text":
      return isBlank(part.text) ? undefined : dialect.text(part.text);
    case "image":
      return dialect.image(part.image);
    case "document":
      return dialect.document(part.document);
    case "audio":
      throw unsupportedContent(provider, `${provider} does not accept audio`);
    case "tool_call":
      return dialect.toolCall(part.toolCall);
    case "tool_result":
      return dialect.toolResult(part.toolResult);
    case "thinking":
    case "redacted_thinking":
      return encodeThinking(part, context);
    default:
      if (part.kind === "unknown" && isOwn(part.origin, context)) return part.raw;
      warnings.push(unknownPartWarning(provider));
      return undefined;
  }
}

export const unknownPartWarning = (provider: string): Warning => ({
  message: `${provider}: a part of an unknown kind was not sent`,
  code: "unsupported_content",
});

function encodeThinking(part: ThinkingPart, context: BlockContext): JsonObject | undefined {
  if (isOwn(part.thinking.origin, context)) return context.dialect.thinking(part);
  const { text, redacted } = part.thinking;
  if (!context.foreignThinkingAsText || redacted || text.trim() === "") return undefined;
  return context.dialect.text(text);
}

/** Signed parts go back only to the model that made them. A part without an origin counts as written by the caller. */
export function isOwn(origin: Origin | undefined, context: { provider: string; model: string }): boolean {
  return origin === undefined || (origin.provider === context.provider && origin.model === context.model);
}

/** The APIs refuse text blocks that are only whitespace. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The arguments as an object, as the vendor requires; free-form input becomes `{input}`. */
export function callInput(call: ToolCallData): JsonObject {
  return typeof call.arguments === "string" ? { input: call.arguments } : call.arguments;
}

export function resultText(result: ToolResultData): string {
  const text = typeof result.content === "string" ? result.content : encodeJson(result.content);
  return text === "" && result.isError ? "failed without a message" : text;
}

export function anthropicDialect(provider: string): BlockDialect {
  const image = (data: ImageData): JsonObject => {
    const source = mediaSource(data, "image/png");
    if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
    return { type: "image", source: { type: "base64", media_type: source.mediaType, data: source.base64 } };
  };
  return {
    text: (text) => ({ type: "text", text }),
    image,
    document: (data) => {
      const source = mediaSource(data, "application/pdf");
      const title = data.fileName === undefined ? {} : { title: data.fileName };
      if (source.kind === "url") return { type: "document", source: { type: "url", url: source.url }, ...title };
      if (source.mediaType.startsWith("text/")) {
        const text = textOfBase64(source.base64);
        return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title };
      }
      assertFormat(source.mediaType, ["application/pdf"], provider);
      const pdf = { type: "base64", media_type: source.mediaType, data: source.base64 };
      return { type: "document", source: pdf, ...title };
    },
    toolCall: (call) => ({ type: "tool_use", id: safeToolId(call.id), name: call.name, input: callInput(call) }),
    toolResult: (result) => {
      const text = resultText(result);
      const images = (result.images ?? []).map(image);
      return {
        type: "tool_result",
        tool_use_id: safeToolId(result.toolCallId),
        content: images.length === 0 ? text : [...(isBlank(text) ? [] : [{ type: "text", text }]), ...images],
        ...(result.isError ? { is_error: true } : {}),
      };
    },
    thinking: ({ thinking }) => {
      if (thinking.signature === undefined) return undefined;
      return thinking.redacted
        ? { type: "redacted_thinking", data: thinking.signature }
        : { type: "thinking", thinking: thinking.text, signature: thinking.signature };
    },
  };
}
