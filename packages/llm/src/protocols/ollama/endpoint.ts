// The URL of Ollama's own chat API.

import type { Endpoint } from "../../types/protocol.ts";

/** The native API is next to `/v1`, whichever of the two the base URL names. */
export const ollamaEndpoint: Endpoint = ({ baseUrl }) =>
  `${baseUrl.replace(/\/+$/, "").replace(/\/(v1|api)$/, "")}/api/chat`;
