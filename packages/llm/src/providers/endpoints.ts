// What each API is made of: its protocol, and where its operations live under a base URL.

import { vertexPlace } from "../auth/google/index.ts";
import { anthropicEndpoint, anthropicMessages } from "../protocols/anthropic/index.ts";
import { bedrockConverse, bedrockEndpoint } from "../protocols/bedrock/index.ts";
import { geminiEndpoint, googleGenerativeAi, googleVertex, vertexEndpoint } from "../protocols/gemini/index.ts";
import { ollamaChat, ollamaEndpoint } from "../protocols/ollama/index.ts";
import { openaiChat } from "../protocols/openai-chat/index.ts";
import { azureResponses, openaiResponses } from "../protocols/openai-responses/index.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Api } from "../types/model.ts";
import type { Endpoint, Protocol } from "../types/protocol.ts";

export interface ApiKind {
  readonly protocol: Protocol;
  readonly endpoint: Endpoint;
  readonly countsTokens?: boolean;
}

type Env = ClientDeps["env"];

const openaiStyle =
  (path: string): Endpoint =>
  ({ baseUrl }) =>
    baseUrl.replace(/\/+$/, "") + path;

const azureEndpoint =
  (version: string): Endpoint =>
  (input) =>
    `${openaiStyle("/responses")(input)}?api-version=${encodeURIComponent(version)}`;

const responses: ApiKind = { protocol: openaiResponses, endpoint: openaiStyle("/responses") };

export function apiKind(api: Api, provider: string, env: Env): ApiKind {
  switch (api) {
    case "openai-responses":
    case "openai-codex-responses":
      return responses;
    case "openai-completions":
      return { protocol: openaiChat, endpoint: openaiStyle("/chat/completions") };
    case "azure-openai-responses":
      return { protocol: azureResponses, endpoint: azureEndpoint(env["AZURE_OPENAI_API_VERSION"] || "v1") };
    case "anthropic-messages":
      return { protocol: anthropicMessages, endpoint: anthropicEndpoint, countsTokens: true };
    case "google-generative-ai":
      return { protocol: googleGenerativeAi, endpoint: geminiEndpoint, countsTokens: true };
    case "google-vertex":
      return { protocol: googleVertex, endpoint: vertexEndpoint(vertexPlace(env)), countsTokens: true };
    case "bedrock-converse-stream":
      return { protocol: bedrockConverse, endpoint: bedrockEndpoint, countsTokens: true };
    case "ollama-chat":
      return { protocol: ollamaChat, endpoint: ollamaEndpoint };
    default:
      throw new ConfigurationError(`Provider "${provider}": the API ${api} is not built in`);
  }
}
