// The protocol of each API, all loaded, for adapters that must be available synchronously.

import { anthropicMessages } from "../protocols/anthropic/index.ts";
import { bedrockConverse } from "../protocols/bedrock/index.ts";
import { googleGenerativeAi, googleVertex } from "../protocols/gemini/index.ts";
import { ollamaChat } from "../protocols/ollama/index.ts";
import { openaiChat } from "../protocols/openai-chat/index.ts";
import { azureResponses, openaiResponses } from "../protocols/openai-responses/index.ts";
import type { ProtocolTable } from "./assemble.ts";

export const protocols: ProtocolTable = {
  "openai-responses": openaiResponses,
  "openai-codex-responses": openaiResponses,
  "openai-completions": openaiChat,
  "azure-openai-responses": azureResponses,
  "anthropic-messages": anthropicMessages,
  "google-generative-ai": googleGenerativeAi,
  "google-vertex": googleVertex,
  "bedrock-converse-stream": bedrockConverse,
  "ollama-chat": ollamaChat,
};
