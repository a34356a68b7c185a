// One message as Gemini parts in JSON text; each message is encoded once.

import { MIME_BY_EXTENSION } from "../../media/types.ts";
import { makeSegment } from "../../segments.ts";
import type { Segment } from "../../types/adapter.ts";
import { InvalidRequestError } from "../../types/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../types/json.ts";
import type { ContentPart, MediaData, Message, ToolCallData, ToolResultData } from "../../types/message.ts";
import { own } from "../../types/own.ts";
import type { Warning } from "../../types/response.ts";
import { callInput, isOwn, unknownPartWarning } from "../anthropic/blocks.ts";
import { mediaSource } from "../anthropic/media.ts";
import { encodeJson } from "../common/encode-json.ts";

/** What a later result needs to know about its call. */
export interface CallNote {
  readonly id: string;
  readonly name: string;
  /** The vendor's own id, repeated in call and result; absent if the vendor gave none. */
  readonly vendorId?: string;
}

export interface EncodedContent {
  readonly role: "user" | "model";
  /** functionResponse parts. All results of a round go into one content, right after the calls. */
  readonly results: string;
  /** The other parts, joined. */
  readonly rest: string;
  readonly calls: readonly CallNote[];
  readonly warnings: readonly Warning[];
  readonly segment: Segment;
}

interface PartContext {
  readonly provider: string;
  readonly model: string;
  readonly foreignThinkingAsText: boolean;
  /** Gemini 3 refuses a first call without a signature, and accepts images inside a result. */
  readonly signedCalls: boolean;
  readonly callOf: (id: string) => CallNote | undefined;
}

/** Accepted instead of a signature for history that never had one. */
const signaturePlaceholder = "skip_thought_signature_validator";

export function encodeContent(message: Message, context: PartContext): EncodedContent {
  const warnings: Warning[] = [];
  const results: JsonValue[] = [];
  const rest: JsonValue[] = [];
  const calls: CallNote[] = [];
  for (const part of message.content) {
    if (part.kind === "tool_result") {
      const images = (part.toolResult.images ?? []).map((image) => media(image, "image/png"));
      const isInside = context.signedCalls && images.every(fitsResult);
      results.push(functionResponse(part.toolResult, isInside ? images : [], context));
      if (!isInside) rest.push(...imagesAfter(part.toolResult, images, context));
    } else if (part.kind === "tool_call") {
      const call = callNote(part.toolCall, context);
      rest.push(functionCall(part.toolCall, call, context, calls.length === 0));
      calls.push(call);
    } else {
      const json = encodePart(part, context, warnings);
      if (json !== undefined) rest.push(json);
    }
  }
  const texts = { results: joinText(results), rest: joinText(rest) };
  return {
    role: message.role === "assistant" ? "model" : "user",
    ...texts,
    calls,
    warnings,
    segment: makeSegment("message", [texts.results, texts.rest].filter((text) => text !== "").join(","), message),
  };
}

function joinText(parts: readonly JsonValue[]): string {
  return parts.map((part) => encodeJson(part)).join(",");
}

function encodePart(part: ContentPart, context: PartContext, warnings: Warning[]): JsonValue | undefined {
  const { provider } = context;
  switch (part.kind) {
    case "text": {
      const signature = isOwn(part.origin, context) ? part.signature : undefined;
      if (part.text === "" && signature === undefined) return undefined;
      return { text: part.text, ...signatureField(signature) };
    }
    case "thinking":
    case "redacted_thinking": {
      const { text, signature, redacted, origin } = part.thinking;
      if (isOwn(origin, context)) return { text, thought: true, ...signatureField(signature) };
      return context.foreignThinkingAsText && !redacted && text.trim() !== "" ? { text } : undefined;
    }
    case "image":
      return media(part.image, "image/png");
    case "audio":
      return media(part.audio, "audio/wav");
    case "document":
      return media(part.document, "application/pdf");
    default:
      if (part.kind === "unknown" && isOwn(part.origin, context)) return part.raw;
      warnings.push(unknownPartWarning(provider));
      return undefined;
  }
}

function signatureField(signature: string | undefined): JsonObject {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function media(data: MediaData, fallback: string): JsonObject {
  const source = mediaSource(data, fallback);
  if (source.kind === "inline") return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  const extension = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(source.url)?.[1]?.toLowerCase() ?? "";
  const mimeType = source.mediaType ?? own(MIME_BY_EXTENSION, extension) ?? fallback;
  return { fileData: { mimeType, fileUri: source.url } };
}

function callNote(call: ToolCallData, context: PartContext): CallNote {
  const vendorId = isOwn(call.origin, context) ? call.origin?.itemId : undefined;
  return { id: call.id, name: call.name, ...(vendorId === undefined ? {} : { vendorId }) };
}

function functionCall(call: ToolCallData, note: CallNote, context: PartContext, first: boolean): JsonObject {
  const own = isOwn(call.origin, context) ? call.signature : undefined;
  const signature = own ?? (first && context.signedCalls ? signaturePlaceholder : undefined);
  return {
    functionCall: {
      ...(note.vendorId === undefined ? {} : { id: note.vendorId }),
      name: call.name,
      args: callInput(call),
    },
    ...signatureField(signature),
  };
}

function functionResponse(result: ToolResultData, images: readonly JsonObject[], context: PartContext): JsonObject {
  const call = context.callOf(result.toolCallId);
  if (call === undefined) {
    throw new InvalidRequestError(
      `the tool result for ${result.toolCallId} has no call before it; send the call's message too`,
      { provider: context.provider },
    );
  }
  return {
    functionResponse: {
      ...(call.vendorId === undefined ? {} : { id: call.vendorId }),
      name: call.name,
      response: responseObject(result),
      ...(images.length === 0 ? {} : { parts: [...images] }),
    },
  };
}

function responseObject(result: ToolResultData): JsonObject {
  const content = result.content as JsonValue;
  if (result.isError) return { error: content };
  return isJsonObject(content) ? content : { result: content };
}

/** Media types that a result may contain; an image at an address may not be in one. */
const RESULT_MEDIA: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/webp"]);

const fitsResult = ({ inlineData }: JsonObject): boolean =>
  isJsonObject(inlineData ?? null) && RESULT_MEDIA.has((inlineData as JsonObject)["mimeType"]);

/** Images that cannot be in the result follow it, after a line of text. */
function imagesAfter(
  { toolCallId }: ToolResultData,
  images: readonly JsonObject[],
  context: PartContext,
): readonly JsonObject[] {
  if (images.length === 0) return [];
  const name = context.callOf(toolCallId)?.name ?? "the tool";
  return [{ text: `${images.length === 1 ? "Image" : "Images"} returned by ${name}:` }, ...images];
}
