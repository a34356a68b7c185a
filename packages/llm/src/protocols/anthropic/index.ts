// Anthropic Messages as a Protocol, and where its operations live.

import type { Endpoint, Protocol } from "../../types/protocol.ts";
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

/** The base carries no version; one that ends in it anyway is not doubled. */
export const anthropicEndpoint: Endpoint = ({ operation, baseUrl }) => {
  const base = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  return operation === "count_tokens" ? `${base}/v1/messages/count_tokens` : `${base}/v1/messages`;
};
