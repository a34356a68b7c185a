// The user's file of providers and models, already parsed into plain values: its types, and a check that is strict
// about unknown keys and says where each mistake is.

import { findRow } from "../catalog/provider-rows.ts";
import type { DiscoveryType } from "../discovery/listings.ts";
import type { ClientDeps } from "../types/adapter.ts";
import { isJsonObject, type JsonValue } from "../types/json.ts";
import type { Api, CacheRetention, ModelCost, OpenAICompat, RequestTransform, ThinkingInfo } from "../types/model.ts";
import type { Some } from "../types/some.ts";
import { type Shape, shapes } from "./shape.ts";

/** What the file may say of a model. */
export interface ModelFields {
  readonly name?: string | undefined;
  readonly api?: Api | undefined;
  readonly reasoning?: boolean | undefined;
  readonly input?: readonly ("text" | "image" | "audio" | "document")[] | undefined;
  readonly cost?: Some<ModelCost> | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly thinking?: Some<ThinkingInfo> | undefined;
  readonly compat?: OpenAICompat | undefined;
  readonly contextPromotionTarget?: string | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly wireModelId?: string | undefined;
}

/** A model that only the user's file knows. */
export interface CustomModel extends ModelFields {
  readonly id: string;
}

/** A provider in the user's file. */
export interface ProviderConfig {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  readonly api?: Api | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly authHeader?: boolean | undefined;
  readonly auth?: "apiKey" | "none" | "oauth" | undefined;
  readonly disableStrictTools?: boolean | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly discovery?: { readonly type: DiscoveryType } | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly compat?: OpenAICompat | undefined;
  readonly modelOverrides?: Readonly<Record<string, ModelFields>> | undefined;
  readonly models?: readonly CustomModel[] | undefined;
}

/** A model for each job, chosen together. */
export interface ModelPreset {
  /** It is not used while one of these has no credential. */
  readonly required_providers?: readonly string[] | undefined;
  /** Role to selector; roles that are not here keep the model they have. */
  readonly model_mapping: Readonly<Record<string, string>>;
}

/** Which model a job gets while no profile says otherwise. */
export interface ModelBindings {
  /** Role to selector. */
  readonly modelRoles?: Readonly<Record<string, string>> | undefined;
  /** Type of agent to selector. */
  readonly agentModelOverrides?: Readonly<Record<string, string>> | undefined;
}

/** The user's file of providers and models. */
export interface RegistryConfig {
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly equivalence?:
    | {
        /** `provider/id` to canonical id. */
        readonly overrides?: Readonly<Record<string, string>>;
        readonly exclude?: readonly string[];
      }
    | undefined;
  readonly profiles?: Readonly<Record<string, ModelPreset>> | undefined;
  readonly modelBindings?: ModelBindings | undefined;
}

/** The key that a provider's entry gives: itself, or the name of a variable that is set. */
export function configuredKey({ apiKey, apiKeyEnv }: ProviderConfig, env: ClientDeps["env"]): string | undefined {
  if (apiKey !== undefined && (!isVariableName(apiKey) || env[apiKey])) return apiKey;
  return apiKeyEnv !== undefined && env[apiKeyEnv] ? apiKeyEnv : undefined;
}

/** The variable that a provider's entry names, set or not. */
export function keyVariable({ apiKey, apiKeyEnv }: ProviderConfig): string | undefined {
  return apiKeyEnv ?? (apiKey !== undefined && isVariableName(apiKey) ? apiKey : undefined);
}

/** What looks like a variable name is one: sending it as the key would be no use. */
const isVariableName = (text: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(text);

const apis: readonly Api[] = [
  "openai-completions",
  "openai-responses",
  "openai-codex-responses",
  "azure-openai-responses",
  "anthropic-messages",
  "bedrock-converse-stream",
  "google-generative-ai",
  "google-vertex",
  "google-gemini-cli",
  "ollama-chat",
  "cursor-agent",
];

const { text, word, flag, positive, number, oneOf, listOf, mapOf, object, anything } = shapes;
const api = oneOf(...apis);
const retention = oneOf("none", "short", "long");
const level = oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max");
const routing = object({ only: listOf(text), order: listOf(text) });

const transform = object({
  profile: oneOf("openai-proxy"),
  stripHeaders: listOf(text),
  setHeaders: mapOf(shapes.textOrNull),
  extraBody: mapOf(anything),
});

const compat = object({
  supportsStore: flag,
  supportsDeveloperRole: flag,
  supportsMultipleSystemMessages: flag,
  sendSessionHeaders: flag,
  supportsUsageInStreaming: flag,
  maxTokensField: oneOf("max_completion_tokens", "max_tokens"),
  supportsToolChoice: flag,
  disableReasoningOnForcedToolChoice: flag,
  extraBody: mapOf(anything),
  supportsReasoningEffort: flag,
  reasoningEffortMap: mapOf(text),
  thinkingFormat: oneOf("openai", "openrouter", "deepseek", "zai", "qwen", "qwen-chat-template"),
  reasoningContentField: oneOf("reasoning_content", "reasoning", "reasoning_text"),
  requiresReasoningContentForToolCalls: flag,
  requiresAssistantContentForToolCalls: flag,
  requiresToolResultName: flag,
  requiresAssistantAfterToolResult: flag,
  requiresThinkingAsText: flag,
  requiresMistralToolIds: flag,
  maxToolIdLength: positive,
  supportsStrictMode: flag,
  supportsJsonSchema: flag,
  toolStrictMode: oneOf("all_strict", "none"),
  openRouterRouting: routing,
  vercelGatewayRouting: routing,
});

const modelFields: Record<string, Shape> = {
  name: text,
  api,
  reasoning: flag,
  input: listOf(oneOf("text", "image", "audio", "document")),
  cost: object({ input: number, output: number, cacheRead: number, cacheWrite: number }),
  contextWindow: positive,
  maxTokens: positive,
  headers: mapOf(text),
  cacheRetention: retention,
  thinking: object({
    mode: oneOf("effort", "budget", "adaptive", "level", "toggle"),
    minLevel: level,
    maxLevel: level,
    defaultLevel: level,
    levels: listOf(level),
  }),
  compat,
  contextPromotionTarget: text,
  requestTransform: transform,
  wireModelId: text,
};

const provider = object({
  baseUrl: text,
  apiKey: text,
  apiKeyEnv: text,
  api,
  headers: mapOf(text),
  authHeader: flag,
  auth: oneOf("apiKey", "none", "oauth"),
  disableStrictTools: flag,
  cacheRetention: retention,
  discovery: object({ type: oneOf("ollama", "llama.cpp", "lm-studio") }, ["type"]),
  requestTransform: transform,
  compat,
  modelOverrides: mapOf(object(modelFields)),
  models: listOf(object({ id: text, ...modelFields }, ["id"])),
});

const selectors = mapOf(word("one model, provider/id[:effort]"));

const file = object({
  providers: mapOf(provider),
  equivalence: object({ overrides: mapOf(text), exclude: listOf(text) }),
  profiles: mapOf(object({ required_providers: listOf(text), model_mapping: selectors }, ["model_mapping"])),
  modelBindings: object({ modelRoles: selectors, agentModelOverrides: selectors }),
});

/** Every mistake as one line that begins with its path; empty when the file is fine. */
export function checkRegistryConfig(value: JsonValue): string[] {
  const structural = file(value, "");
  if (structural.length > 0) return structural;
  const { providers = {} } = value as RegistryConfig;
  return Object.entries(providers).flatMap(([id, config]) => providerRules(`providers.${id}`, config, isBuiltIn(id)));
}

/** It has an address, an API and a key's name of its own. */
const isBuiltIn = (id: string): boolean => {
  const row = findRow(id);
  return row !== undefined && row.unsupported === undefined;
};

function providerRules(path: string, config: ProviderConfig, builtIn: boolean): string[] {
  const problems: string[] = [];
  const { models = [], baseUrl, apiKey, apiKeyEnv, auth, api: own, discovery } = config;
  if (models.length > 0 && !builtIn) {
    const bedrock = own === "bedrock-converse-stream";
    if (baseUrl === undefined) problems.push(`${path}.baseUrl: required with models`);
    if (auth !== "none" && !bedrock && apiKey === undefined && apiKeyEnv === undefined) {
      problems.push(`${path}.apiKey: required with models; set apiKey, apiKeyEnv or auth: none`);
    }
    for (const [index, model] of models.entries()) {
      if (own === undefined && model.api === undefined) {
        problems.push(`${path}.models[${index}].api: required here or at the provider`);
      }
    }
  } else if (models.length === 0 && !overrideKeys.some((key) => isJsonObject(config) && config[key] !== undefined)) {
    problems.push(`${path}: without models it must set one of ${overrideKeys.join(", ")}`);
  }
  if (discovery !== undefined && own === undefined) problems.push(`${path}.api: required with discovery`);
  return problems;
}

const overrideKeys = [
  "baseUrl",
  "headers",
  "compat",
  "requestTransform",
  "disableStrictTools",
  "modelOverrides",
  "discovery",
];
