// The conversation format for every vendor. Messages are immutable values: encoders cache the wire bytes of each
// message object, so a changed message must be a new object.

import type { JsonObject, JsonValue } from "./json.ts";

/** Who speaks in a message. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** One message of a conversation. It is immutable: a changed message must be a new object. */
export interface Message {
  readonly role: Role;
  readonly content: readonly ContentPart[];
  readonly name?: string | undefined;
  /** Set on role `tool`: the call this message answers. */
  readonly toolCallId?: string | undefined;
}

/** A piece of a message. */
export type ContentPart =
  | TextPart
  | ImagePart
  | AudioPart
  | DocumentPart
  | ToolCallPart
  | ToolResultPart
  | ThinkingPart
  | UnknownPart;

/** Text. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  /** Gemini signs text parts too; sent back only to the model that signed it. */
  readonly signature?: string | undefined;
  readonly origin?: Origin | undefined;
  readonly cacheControl?: CacheControl | undefined;
}

/** An image. */
export interface ImagePart {
  readonly kind: "image";
  readonly image: ImageData;
  readonly cacheControl?: CacheControl | undefined;
}

/** Sound. */
export interface AudioPart {
  readonly kind: "audio";
  readonly audio: MediaData;
}

/** A document, such as a PDF. */
export interface DocumentPart {
  readonly kind: "document";
  readonly document: DocumentData;
  readonly cacheControl?: CacheControl | undefined;
}

/** The model's call of a tool. */
export interface ToolCallPart {
  readonly kind: "tool_call";
  readonly toolCall: ToolCallData;
}

/** The result of a call. */
export interface ToolResultPart {
  readonly kind: "tool_result";
  readonly toolResult: ToolResultData;
  readonly cacheControl?: CacheControl | undefined;
}

/** The model's thinking, in words or hidden. */
export interface ThinkingPart {
  readonly kind: "thinking" | "redacted_thinking";
  readonly thinking: ThinkingData;
}

/** An item of a vendor's answer that we do not model. Kept raw and sent back only to its origin. */
export interface UnknownPart {
  readonly kind: "unknown";
  readonly raw: JsonValue;
  readonly origin?: Origin | undefined;
}

/** The kinds of content. */
export type PartKind = ContentPart["kind"];

/**
 * A cache breakpoint that the caller places after a part, for vendors with explicit ones (Anthropic, Bedrock); others
 * ignore it.
 */
export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h" | undefined;
}

/** Bytes or an address, exactly one of the two. A url starting with `/`, `./`, `../` or `~` is a local file. */
export interface MediaData {
  readonly url?: string | undefined;
  readonly data?: Uint8Array | undefined;
  readonly mediaType?: string | undefined;
}

/** The image itself. */
export interface ImageData extends MediaData {
  /**
   * How closely the vendor looks at the image, if it lets us choose. `original`: at its own size, whatever that costs.
   */
  readonly detail?: "auto" | "low" | "high" | "original" | undefined;
}

/** The document itself. */
export interface DocumentData extends MediaData {
  readonly fileName?: string | undefined;
}

/** The call itself. */
export interface ToolCallData {
  readonly id: string;
  readonly name: string;
  /** An object for function tools; the raw text for custom (free-form) tools. */
  readonly arguments: JsonObject | string;
  readonly type: "function" | "custom";
  /** The model's text, kept if it is not valid JSON. */
  readonly rawArguments?: string | undefined;
  readonly signature?: string | undefined;
  readonly origin?: Origin | undefined;
}

/** The result itself. */
export interface ToolResultData {
  readonly toolCallId: string;
  readonly content: string | JsonObject | readonly JsonValue[];
  readonly isError: boolean;
  readonly images?: readonly ImageData[] | undefined;
}

/** The thinking itself, with the signature that its vendor requires to accept it back. */
export interface ThinkingData {
  readonly text: string;
  readonly signature?: string | undefined;
  readonly redacted: boolean;
  readonly origin?: Origin | undefined;
}

/** Who produced a part. Signed parts go back only to the same provider and model. */
export interface Origin {
  readonly provider: string;
  readonly model: string;
  readonly itemId?: string | undefined;
}

export const Message = {
  system: (text: string): Message => ({ role: "system", content: [{ kind: "text", text }] }),
  developer: (text: string): Message => ({ role: "developer", content: [{ kind: "text", text }] }),
  user: (content: string | readonly ContentPart[]): Message => ({ role: "user", content: toParts(content) }),
  assistant: (content: string | readonly ContentPart[]): Message => ({ role: "assistant", content: toParts(content) }),
  toolResult: (result: {
    toolCallId: string;
    content: ToolResultData["content"];
    isError?: boolean;
    images?: readonly ImageData[];
  }): Message => ({
    role: "tool",
    toolCallId: result.toolCallId,
    content: [
      {
        kind: "tool_result",
        toolResult: {
          toolCallId: result.toolCallId,
          content: result.content,
          isError: result.isError ?? false,
          ...(result.images && result.images.length > 0 ? { images: result.images } : {}),
        },
      },
    ],
  }),
};

function toParts(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === "string" ? [{ kind: "text", text: content }] : content;
}

/** All text parts in order, joined; "" if there are none. */
export function textOf(message: Message): string {
  let text = "";
  for (const part of message.content) if (part.kind === "text") text += part.text;
  return text;
}
