// One message of the conversation as Chat Completions messages, in the dialect of the server.

import { toBase64 } from "../../media/base64.ts";
import type { JsonObject } from "../../types/json.ts";
import type { ContentPart, ImageData, Message, ToolCallData } from "../../types/message.ts";
import type { Warning } from "../../types/response.ts";
import { encodeJson, wholeCharacters } from "../common/encode-json.ts";
import { boundedCallId, nineCharId } from "../common/ids.ts";
import { mediaUrl, unsupportedContent } from "../common/media.ts";
import { droppedWarning, encodeParts, isOwn, resultText } from "../common/parts.ts";
import type { Compat } from "./compat.ts";
import { type Returned, readSignature } from "./returned.ts";

/** Some servers refuse an empty text or reasoning next to tool calls; this is the shortest text that they accept. */
const filler = ".";

export interface MessageContext {
  readonly provider: string;
  readonly model: string;
  readonly compat: Compat;
  readonly foreignThinking: "drop" | "text";
  readonly developerRole: "developer" | "system" | "user";
  /** Name of the tool that a result belongs to, for servers that want it repeated. */
  readonly toolName: string | undefined;
}

export interface EncodedMessages {
  readonly messages: readonly JsonObject[];
  /** Images of tool results: a user message that must wait until all results of the turn are in place. */
  readonly trailing?: JsonObject;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly warnings: readonly Warning[];
}

export function encodeMessage(message: Message, context: MessageContext): EncodedMessages {
  switch (message.role) {
    case "assistant":
      return encodeAssistant(message, context);
    case "tool":
      return encodeResults(message, context);
    default:
      return encodeInput(message, context);
  }
}

function wireCallId(id: string, compat: Compat): string {
  // If no limit is known, the id stays whole: some gateways keep data in it that they want back.
  return compat.requiresMistralToolIds ? nineCharId(id) : boundedCallId(id, compat.maxToolIdLength ?? Infinity);
}

function encodeInput(message: Message, context: MessageContext): EncodedMessages {
  const { parts, warnings } = encodeParts(message, (part) => inputPart(part, context.provider));
  const role = message.role === "developer" ? context.developerRole : "user";
  const name = message.name === undefined ? {} : { name: message.name };
  const [first] = parts;
  if (!first) return { messages: [], calls: [], warnings };
  // Plain text is sent as a string, because many servers accept nothing else.
  const content = parts.length === 1 && first["type"] === "text" ? first["text"]! : parts;
  return { messages: [{ role, ...name, content }], calls: [], warnings };
}

function inputPart(part: ContentPart, provider: string): JsonObject | undefined {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return imagePart(part.image);
    case "audio": {
      const { data, mediaType = "audio/wav" } = part.audio;
      if (data === undefined) throw unsupportedContent(provider, "Chat Completions accepts audio only as bytes");
      return { type: "input_audio", input_audio: { data: toBase64(data), format: audioFormat(mediaType) } };
    }
    case "document": {
      const { data, mediaType, fileName = "document.pdf" } = part.document;
      if (data === undefined) throw unsupportedContent(provider, "Chat Completions accepts documents only as bytes");
      const file = mediaUrl({ data, mediaType: mediaType ?? "application/pdf" }, "");
      return { type: "file", file: { filename: fileName, file_data: file } };
    }
    default:
      return undefined;
  }
}

function imagePart(image: ImageData): JsonObject {
  // This protocol has nothing higher.
  const most = image.detail === "original" ? "high" : image.detail;
  const detail = most === undefined ? {} : { detail: most };
  return { type: "image_url", image_url: { url: mediaUrl(image, "image/png"), ...detail } };
}

function audioFormat(mediaType: string): string {
  const subtype = mediaType.slice(mediaType.indexOf("/") + 1).replace(/^x-/, "");
  return subtype === "mpeg" ? "mp3" : subtype;
}

function encodeAssistant(message: Message, context: MessageContext): EncodedMessages {
  const { compat } = context;
  const warnings: Warning[] = [];
  const calls: ToolCallData[] = [];
  let text = "";
  let reasoning = "";
  for (const part of message.content) {
    switch (part.kind) {
      case "text":
        text += part.text;
        break;
      case "thinking":
        if (isOwn(part.thinking.origin, context)) {
          if (compat.requiresThinkingAsText) text += thinkingAsText(part.thinking.text);
          else reasoning += part.thinking.text;
        } else if (context.foreignThinking === "text") {
          text += compat.requiresThinkingAsText ? thinkingAsText(part.thinking.text) : `${part.thinking.text}\n\n`;
        }
        break;
      case "tool_call":
        calls.push(part.toolCall);
        break;
      case "redacted_thinking":
      case "unknown":
        break;
      default:
        warnings.push(droppedWarning(part));
    }
  }
  if (text === "" && calls.length === 0) return { messages: [], calls: [], warnings };
  const wire: JsonObject = { role: "assistant", content: text === "" ? null : text };
  if (calls.length > 0) {
    if (text === "" && compat.requiresAssistantContentForToolCalls) wire["content"] = filler;
    const returned = calls.map((call) => (isOwn(call.origin, context) ? readSignature(call.signature) : {}));
    const details = returned.flatMap(({ reasoning_details }) => reasoning_details ?? []);
    if (details.length > 0) wire["reasoning_details"] = details;
    else if (compat.requiresReasoningContentForToolCalls) {
      wire[compat.reasoningContentField ?? "reasoning_content"] = reasoning === "" ? filler : reasoning;
    }
    wire["tool_calls"] = calls.map((call, index) => wireCall(call, compat, returned[index]));
  }
  return { messages: [wire], calls: calls.map(({ id, name }) => ({ id, name })), warnings };
}

function wireCall(call: ToolCallData, compat: Compat, { extra_content }: Returned = {}): JsonObject {
  // This protocol has no free-form calls: their text becomes the only argument of a function (see wireTool).
  const args = call.type === "custom" ? { input: call.arguments } : call.arguments;
  return {
    id: wireCallId(call.id, compat),
    type: "function",
    function: { name: call.name, arguments: typeof args === "string" ? wholeCharacters(args) : encodeJson(args) },
    ...(extra_content === undefined ? {} : { extra_content }),
  };
}

function thinkingAsText(text: string): string {
  return text === "" ? "" : `<thinking>\n${text}\n</thinking>\n\n`;
}

function encodeResults(message: Message, context: MessageContext): EncodedMessages {
  const { compat, toolName } = context;
  const messages: JsonObject[] = [];
  const images: JsonObject[] = [];
  const warnings: Warning[] = [];
  for (const part of message.content) {
    if (part.kind !== "tool_result") {
      warnings.push(droppedWarning(part));
      continue;
    }
    const { toolCallId, images: pictures = [] } = part.toolResult;
    const id = wireCallId(toolCallId, compat);
    messages.push({
      role: "tool",
      tool_call_id: id,
      ...(compat.requiresToolResultName && toolName !== undefined ? { name: toolName } : {}),
      content: resultText(part.toolResult),
    });
    if (pictures.length > 0) {
      images.push({ type: "text", text: `Image returned by tool call ${id}:` }, ...pictures.map(imagePart));
    }
  }
  const trailing = images.length > 0 ? { trailing: { role: "user", content: images } } : {};
  return { messages, ...trailing, calls: [], warnings };
}
