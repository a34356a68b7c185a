// Makes an adapter that loads only its own protocol, for programs that start with one model.

import type { ProviderAdapter } from "../types/adapter.ts";
import type { Api } from "../types/model.ts";
import type { Protocol } from "../types/protocol.ts";
import { apisOf, assemble, rowOf } from "./assemble.ts";
import type { ProviderOptions } from "./options.ts";

const responses = () => import("../protocols/openai-responses/index.ts");
const gemini = () => import("../protocols/gemini/index.ts");

const loaders: Partial<Record<Api, () => Promise<Protocol>>> = {
  "openai-responses": async () => (await responses()).openaiResponses,
  "openai-codex-responses": async () => (await responses()).openaiResponses,
  "openai-completions": async () => (await import("../protocols/openai-chat/index.ts")).openaiChat,
  "azure-openai-responses": async () => (await responses()).azureResponses,
  "anthropic-messages": async () => (await import("../protocols/anthropic/index.ts")).anthropicMessages,
  "google-generative-ai": async () => (await gemini()).googleGenerativeAi,
  "google-vertex": async () => (await gemini()).googleVertex,
  "bedrock-converse-stream": async () => (await import("../protocols/bedrock/index.ts")).bedrockConverse,
  "ollama-chat": async () => (await import("../protocols/ollama/index.ts")).ollamaChat,
};

/** Like `createProvider`, but loads only the protocol that is needed. */
export async function openProvider(id: string, options: ProviderOptions = {}): Promise<ProviderAdapter> {
  const row = rowOf(id, options);
  const loaded: Partial<Record<Api, Protocol>> = {};
  for (const api of apisOf(row, options)) {
    const protocol = api === undefined ? undefined : await loaders[api]?.();
    if (api !== undefined && protocol) loaded[api] = protocol;
  }
  return assemble(row, options, loaded);
}
