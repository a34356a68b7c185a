// A message of the conversation on the wire: the model client's own form, with bytes as base64.

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
  type Schema,
  type Static,
  text,
} from "@lathe/llm/schema";

const origin = optional(object({ provider: text(), model: text(), itemId: optional(text()) }));
const cacheControl = optional(anyObject());
export const wireMedia = object({
  url: optional(text()),
  /** In base64. */
  data: optional(text()),
  mediaType: optional(text()),
  detail: optional(choice(["auto", "low", "high", "original"])),
  fileName: optional(text()),
});

const part = oneOf(
  object({ kind: exactly("text"), text: text(), signature: optional(text()), origin, cacheControl }),
  object({ kind: exactly("image"), image: wireMedia, cacheControl }),
  object({ kind: exactly("audio"), audio: wireMedia }),
  object({ kind: exactly("document"), document: wireMedia, cacheControl }),
  object({
    kind: exactly("tool_call"),
    toolCall: object({
      id: text(),
      name: text(),
      arguments: oneOf(anyObject(), text()),
      type: choice(["function", "custom"]),
      rawArguments: optional(text()),
      signature: optional(text()),
      origin,
    }),
  }),
  object({
    kind: exactly("tool_result"),
    toolResult: object({
      toolCallId: text(),
      content: oneOf(text(), anyObject(), listOf(anything())),
      isError: flag(),
      images: optional(listOf(wireMedia)),
    }),
    cacheControl,
  }),
  object({
    kind: choice(["thinking", "redacted_thinking"]),
    thinking: object({ text: text(), signature: optional(text()), redacted: flag(), origin }),
  }),
  object({ kind: exactly("unknown"), raw: anything(), origin }),
);

export const wireMessage = object({
  role: choice(["system", "developer", "user", "assistant", "tool"]),
  content: listOf(part),
  name: optional(text()),
  toolCallId: optional(text()),
});
/** A message of the conversation, as JSON and RPC mode write it. */
export type WireMessage = Static<typeof wireMessage>;

export const wireImage: Schema<{ readonly data: string; readonly mediaType: string }> = object({
  /** In base64. */
  data: text(),
  mediaType: text(),
});
