// Anthropic Messages as a Protocol.

import type { Protocol } from "../../types/protocol.ts";
import { AnthropicDecoder } from "./decode.ts";
import { encodeAnthropic } from "./encode.ts";

export const anthropicMessages: Protocol = {
  name: "anthropic-messages",
  framing: { kind: "sse" },
  toolChoiceModes: ["auto", "none", "required", "named"],
  media: { maxImageBytes: 5 * 1024 * 1024, countsBase64: true },
  defaultCacheRetention: "long",
  encode: encodeAnthropic,
  decoder: (context) => new AnthropicDecoder(context),
};
