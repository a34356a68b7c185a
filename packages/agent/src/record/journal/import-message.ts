// The messages of versions 1 to 3 in our form: text, images, thinking, calls and results keep their content.

import {
  type ContentPart,
  type FinishReason,
  type ImageData,
  isJsonObject,
  type JsonObject,
  type Message,
  type Usage,
} from "@lathe/llm";
import { textOfContent } from "../../base/text/content.ts";
import { BlobRef } from "./payload.ts";

type Raw = Record<string, unknown>;

/** Kind and own fields of an entry; kinds without messages pass through as they are. */
export function toEntryFields(type: unknown, fields: Raw): { type: unknown; body: Raw } {
  if (type === "custom_message") return { type, body: { ...fields, content: customContent(fields["content"]) } };
  const message = rawOf(fields["message"]);
  if (type !== "message" || !message) return { type, body: fields };
  switch (message["role"]) {
    case "assistant":
      return { type, body: assistantFields(message) };
    case "toolResult":
      return { type, body: toolResultFields(message) };
    case "custom":
    case "hookMessage":
      return { type: "custom_message", body: customFields(message) };
    case "bashExecution":
      return { type, body: { message: userMessage(`$ ${textIn(message, "command")}\n${textIn(message, "output")}`) } };
    default:
      return { type, body: { message: userMessage(message["content"]) } };
  }
}

/** Undefined for what is no object: files of other programs may hold anything. */
function rawOf(value: unknown): Raw | undefined {
  return isJsonObject(value) ? value : undefined;
}

const textIn = (raw: Raw, key: string): string => (typeof raw[key] === "string" ? raw[key] : "");

function userMessage(content: unknown): Message {
  return { role: "user", content: parts(content) };
}

function customFields(message: Raw): Raw {
  const { customType, content, display, details, attribution } = message;
  return {
    customType: customType ?? "imported",
    content: customContent(content),
    display: display ?? true,
    ...(details === undefined ? {} : { details }),
    attribution: attribution ?? "agent",
  };
}

function customContent(content: unknown): unknown {
  return typeof content === "string" ? content : parts(content);
}

function assistantFields(message: Raw): Raw {
  const { provider, model, usage, stopReason } = message;
  const origin = typeof provider === "string" && typeof model === "string" ? { provider, model } : undefined;
  const content = parts(message["content"]).map((part) => (origin ? withOrigin(part, origin) : part));
  return {
    message: { role: "assistant", content } satisfies Message,
    ...origin,
    ...usageFields(rawOf(usage)),
    ...(typeof stopReason === "string" ? { finishReason: finishReason(stopReason) } : {}),
  };
}

function withOrigin(part: ContentPart, origin: { provider: string; model: string }): ContentPart {
  if (part.kind === "thinking") return { ...part, thinking: { ...part.thinking, origin } };
  if (part.kind === "tool_call" && part.toolCall.signature !== undefined) {
    return { ...part, toolCall: { ...part.toolCall, origin } };
  }
  return part.kind === "text" && part.signature !== undefined ? { ...part, origin } : part;
}

function usageFields(usage: Raw | undefined): { usage?: Usage; cost?: number } {
  if (!usage) return {};
  const count = (key: string) => (typeof usage[key] === "number" ? usage[key] : 0);
  const total = rawOf(usage["cost"])?.["total"];
  return {
    usage: {
      inputTokens: count("input"),
      outputTokens: count("output"),
      totalTokens: count("input") + count("output") + count("cacheRead") + count("cacheWrite"),
      cacheReadTokens: count("cacheRead"),
      cacheWriteTokens: count("cacheWrite"),
    },
    ...(typeof total === "number" ? { cost: total } : {}),
  };
}

const FINISH: Readonly<Record<string, FinishReason["reason"]>> = {
  stop: "stop",
  length: "length",
  toolUse: "tool_calls",
  error: "error",
  aborted: "error",
};

function finishReason(raw: string): FinishReason {
  return { reason: Object.hasOwn(FINISH, raw) ? FINISH[raw]! : "other", raw };
}

function toolResultFields(message: Raw): Raw {
  const toolCallId = textIn(message, "toolCallId");
  const content = parts(message["content"]);
  const text = textOfContent(content);
  const images = content.flatMap((part) => (part.kind === "image" ? [part.image] : []));
  const result: Message = {
    role: "tool",
    toolCallId,
    content: [
      {
        kind: "tool_result",
        toolResult: {
          toolCallId,
          content: text,
          isError: message["isError"] === true,
          ...(images.length > 0 ? { images } : {}),
        },
      },
    ],
  };
  return { message: result, ...(message["details"] === undefined ? {} : { details: message["details"] }) };
}

function parts(content: unknown): ContentPart[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return Array.isArray(content) ? content.map((block: unknown) => part(rawOf(block) ?? {})) : [];
}

function part(block: Raw): ContentPart {
  const text = (key: string) => (typeof block[key] === "string" ? (block[key] as string) : undefined);
  switch (block["type"]) {
    case "text": {
      const signature = text("textSignature");
      return { kind: "text", text: text("text") ?? "", ...(signature === undefined ? {} : { signature }) };
    }
    case "image":
      return { kind: "image", image: image(text("data") ?? "", text("mimeType")) };
    case "thinking": {
      const signature = text("thinkingSignature");
      const thinking = { text: text("thinking") ?? "", redacted: false };
      return { kind: "thinking", thinking: signature === undefined ? thinking : { ...thinking, signature } };
    }
    case "toolCall": {
      const signature = text("thoughtSignature");
      const call = { id: text("id") ?? "", name: text("name") ?? "", type: "function" as const };
      const args = (rawOf(block["arguments"]) ?? {}) as JsonObject;
      const toolCall = { ...call, arguments: args, ...(signature === undefined ? {} : { signature }) };
      return { kind: "tool_call", toolCall };
    }
    default:
      return { kind: "unknown", raw: block as JsonObject };
  }
}

/** Old files name a blob where the base64 stood; the reference is kept unchanged. */
function image(data: string, mediaType: string | undefined): ImageData {
  const mark = "blob:sha256:";
  const bytes: unknown = data.startsWith(mark)
    ? new BlobRef(data.slice(mark.length))
    : new Uint8Array(Buffer.from(data, "base64"));
  return { data: bytes as Uint8Array, ...(mediaType === undefined ? {} : { mediaType }) };
}
