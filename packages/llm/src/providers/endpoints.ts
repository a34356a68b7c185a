// URLs of each API's operations under a base URL.

import { vertexPlace } from "../auth/google/index.ts";
import { anthropicEndpoint } from "../protocols/anthropic/endpoint.ts";
import { bedrockEndpoint } from "../protocols/bedrock/endpoint.ts";
import { geminiEndpoint, vertexEndpoint } from "../protocols/gemini/endpoint.ts";
import { ollamaEndpoint } from "../protocols/ollama/endpoint.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Api } from "../types/model.ts";
import type { Endpoint } from "../types/protocol.ts";

export interface ApiPlace {
  readonly endpoint: Endpoint;
  readonly countsTokens?: boolean;
  readonly compactEndpoint?: Endpoint;
}

const openaiStyle =
  (path: string): Endpoint =>
  ({ baseUrl }) =>
    baseUrl.replace(/\/+$/, "") + path;

const azureEndpoint =
  (version: string): Endpoint =>
  (input) =>
    `${openaiStyle("/responses")(input)}?api-version=${encodeURIComponent(version)}`;

export function apiPlace(api: Api, provider: string, env: ClientDeps["env"]): ApiPlace {
  switch (api) {
    case "openai-responses":
    case "openai-codex-responses":
      return { endpoint: openaiStyle("/responses"), compactEndpoint: openaiStyle("/responses/compact") };
    case "openai-completions":
      return { endpoint: openaiStyle("/chat/completions") };
    case "azure-openai-responses":
      return { endpoint: azureEndpoint(env["AZURE_OPENAI_API_VERSION"] || "v1") };
    case "anthropic-messages":
      return { endpoint: anthropicEndpoint, countsTokens: true };
    case "google-generative-ai":
      return { endpoint: geminiEndpoint, countsTokens: true };
    case "google-vertex":
      return { endpoint: vertexEndpoint(vertexPlace(env)), countsTokens: true };
    case "bedrock-converse-stream":
      return { endpoint: bedrockEndpoint, countsTokens: true };
    case "ollama-chat":
      return { endpoint: ollamaEndpoint };
    default:
      throw new ConfigurationError(`Provider "${provider}": the API ${api} is not built in`);
  }
}
