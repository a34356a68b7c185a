// A message of the conversation on the wire: the model client's own form, with bytes as base64.

import type { ContentPart, ImageData, Message } from "@lathe/llm";
import {
  anyObject,
  anything,
  choice,
  exactly,
  flag,
  listOf,
  object,
  oneOf,
  optional,
  type Shape,
  type TypeOf,
  text,
} from "./define.ts";

const origin = optional(object({ provider: text, model: text, itemId: optional(text) }));
const cacheControl = optional(anyObject);
const media = object({
  url: optional(text),
  /** base64 */
  data: optional(text),
  mediaType: optional(text),
  detail: optional(choice(["auto", "low", "high"])),
  fileName: optional(text),
});

const part = oneOf(
  object({ kind: exactly("text"), text, signature: optional(text), origin, cacheControl }),
  object({ kind: exactly("image"), image: media, cacheControl }),
  object({ kind: exactly("audio"), audio: media }),
  object({ kind: exactly("document"), document: media, cacheControl }),
  object({
    kind: exactly("tool_call"),
    toolCall: object({
      id: text,
      name: text,
      arguments: oneOf(anyObject, text),
      type: choice(["function", "custom"]),
      rawArguments: optional(text),
      signature: optional(text),
      origin,
    }),
  }),
  object({
    kind: exactly("tool_result"),
    toolResult: object({
      toolCallId: text,
      content: oneOf(text, anyObject, listOf(anything)),
      isError: flag,
      images: optional(listOf(media)),
    }),
    cacheControl,
  }),
  object({
    kind: choice(["thinking", "redacted_thinking"]),
    thinking: object({ text, signature: optional(text), redacted: flag, origin }),
  }),
  object({ kind: exactly("unknown"), raw: anything, origin }),
);

export const wireMessage = object({
  role: choice(["system", "developer", "user", "assistant", "tool"]),
  content: listOf(part),
  name: optional(text),
  toolCallId: optional(text),
});
export type WireMessage = TypeOf<typeof wireMessage>;

/** Most messages hold no bytes and are handed on as they are. */
export function toWire(message: Message): WireMessage {
  if (!message.content.some(holdsBytes)) return message as WireMessage;
  return { ...message, content: message.content.map(partToWire) } as WireMessage;
}

function holdsBytes(given: ContentPart): boolean {
  if (given.kind === "image" || given.kind === "audio" || given.kind === "document") return true;
  return given.kind === "tool_result" && given.toolResult.images !== undefined;
}

function partToWire(given: ContentPart): object {
  switch (given.kind) {
    case "image":
      return { ...given, image: mediaToWire(given.image) };
    case "audio":
      return { ...given, audio: mediaToWire(given.audio) };
    case "document":
      return { ...given, document: mediaToWire(given.document) };
    case "tool_result": {
      const { images, ...rest } = given.toolResult;
      return { ...given, toolResult: images ? { ...rest, images: images.map(mediaToWire) } : rest };
    }
    default:
      return given;
  }
}

function mediaToWire({ data, ...rest }: ImageData): TypeOf<typeof media> {
  return data === undefined ? rest : { ...rest, data: Buffer.from(data).toString("base64") };
}

export const wireImage: Shape<{ readonly data: string; readonly mediaType: string }> = object({
  /** base64 */
  data: text,
  mediaType: text,
});
