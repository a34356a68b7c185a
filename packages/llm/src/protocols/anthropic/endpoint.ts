// URLs of the Anthropic Messages operations.

import type { Endpoint } from "../../types/protocol.ts";

/** The base has no version; if it ends in one anyway, it is not doubled. */
export const anthropicEndpoint: Endpoint = ({ operation, baseUrl }) => {
  const base = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  return operation === "count_tokens" ? `${base}/v1/messages/count_tokens` : `${base}/v1/messages`;
};
