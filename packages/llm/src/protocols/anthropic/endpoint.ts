// Where the operations of Anthropic Messages live.

import type { Endpoint } from "../../types/protocol.ts";

/** The base carries no version; one that ends in it anyway is not doubled. */
export const anthropicEndpoint: Endpoint = ({ operation, baseUrl }) => {
  const base = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  return operation === "count_tokens" ? `${base}/v1/messages/count_tokens` : `${base}/v1/messages`;
};
