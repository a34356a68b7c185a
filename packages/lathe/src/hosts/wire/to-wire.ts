// Prepares a message of the conversation for the wire.

import type { ContentPart, ImageData, Message } from "@lathe/llm";
import type { Static } from "@lathe/llm/schema";
import type { WireMessage, wireMedia } from "./message.ts";

/** Most messages contain no binary data and are returned unchanged. */
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

export function mediaToWire({ data, url, mediaType, detail }: ImageData): Static<typeof wireMedia> {
  return {
    ...(url === undefined ? {} : { url }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(detail === undefined ? {} : { detail }),
    ...(data === undefined ? {} : { data: Buffer.from(data).toString("base64") }),
  };
}
