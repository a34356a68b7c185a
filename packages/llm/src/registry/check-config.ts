// The definition of the user's file of providers and models, and a check that rejects unknown keys and locates each
// mistake. In a separate module because most runs have no such file.

import { findRow } from "../catalog/provider-rows.ts";
import { Checker } from "../schema/checker.ts";
import {
  number as anyNumber,
  text as anyText,
  anything,
  choice,
  flag,
  listOf,
  mapOf,
  object,
  optional,
  orNull,
  type Schema,
} from "../schema/define.ts";
import { placeText, problemText } from "../schema/problem.ts";
import type { JsonValue } from "../types/json.ts";
import type { Api } from "../types/model.ts";
import type { ProviderConfig, RegistryConfig } from "./config.ts";

const APIS: readonly Api[] = [
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

const text = anyText({ minLength: 1 });
/** For a header or a key, which messages must not repeat. */
const secret = anyText({ minLength: 1, writeOnly: true });
const number = anyNumber({ minimum: 0 });
const positive = anyNumber({ exclusiveMinimum: 0 });
const api = choice(APIS);
const retention = choice(["none", "short", "long"]);
const level = choice(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
const routing = optional(object({ only: optional(listOf(text)), order: optional(listOf(text)) }));
const maybeFlag = optional(flag());

const transform = object({
  profile: optional(choice(["openai-proxy"])),
  stripHeaders: optional(listOf(text)),
  setHeaders: optional(mapOf(orNull(anyText({ writeOnly: true })))),
  extraBody: optional(mapOf(anything() as Schema<JsonValue>)),
});

const compat = object({
  supportsStore: maybeFlag,
  supportsDeveloperRole: maybeFlag,
  supportsMultipleSystemMessages: maybeFlag,
  sendSessionHeaders: maybeFlag,
  supportsUsageInStreaming: maybeFlag,
  maxTokensField: optional(choice(["max_completion_tokens", "max_tokens"])),
  supportsToolChoice: maybeFlag,
  disableReasoningOnForcedToolChoice: maybeFlag,
  extraBody: optional(mapOf(anything() as Schema<JsonValue>)),
  supportsReasoningEffort: maybeFlag,
  reasoningEffortMap: optional(mapOf(text)),
  thinkingFormat: optional(choice(["openai", "openrouter", "deepseek", "zai", "qwen", "qwen-chat-template"])),
  reasoningContentField: optional(choice(["reasoning_content", "reasoning", "reasoning_text"])),
  requiresReasoningContentForToolCalls: maybeFlag,
  requiresAssistantContentForToolCalls: maybeFlag,
  requiresToolResultName: maybeFlag,
  requiresAssistantAfterToolResult: maybeFlag,
  requiresThinkingAsText: maybeFlag,
  requiresMistralToolIds: maybeFlag,
  maxToolIdLength: optional(positive),
  supportsStrictMode: maybeFlag,
  supportsJsonSchema: maybeFlag,
  toolStrictMode: optional(choice(["all_strict", "none"])),
  openRouterRouting: routing,
  vercelGatewayRouting: routing,
});

const modelFields = {
  name: optional(text),
  api: optional(api),
  reasoning: maybeFlag,
  input: optional(listOf(choice(["text", "image", "audio", "document"]))),
  cost: optional(
    object({
      input: optional(number),
      output: optional(number),
      cacheRead: optional(number),
      cacheWrite: optional(number),
    }),
  ),
  contextWindow: optional(positive),
  maxTokens: optional(positive),
  headers: optional(mapOf(secret)),
  cacheRetention: optional(retention),
  thinking: optional(
    object({
      mode: optional(choice(["effort", "budget", "adaptive", "level", "toggle"])),
      minLevel: optional(level),
      maxLevel: optional(level),
      defaultLevel: optional(level),
      levels: optional(listOf(level)),
    }),
  ),
  compat: optional(compat),
  contextPromotionTarget: optional(text),
  requestTransform: optional(transform),
  wireModelId: optional(text),
};

const provider = object({
  baseUrl: optional(text),
  apiKey: optional(secret),
  apiKeyEnv: optional(text),
  api: optional(api),
  headers: optional(mapOf(secret)),
  authHeader: maybeFlag,
  auth: optional(choice(["apiKey", "none", "oauth"])),
  disableStrictTools: maybeFlag,
  cacheRetention: optional(retention),
  discovery: optional(object({ type: choice(["ollama", "llama.cpp", "lm-studio", "openai-compatible"]) })),
  requestTransform: optional(transform),
  compat: optional(compat),
  modelOverrides: optional(mapOf(object(modelFields))),
  models: optional(listOf(object({ id: text, ...modelFields }))),
});

const selectors = mapOf(anyText({ pattern: "^[^\\s,]+$", expects: "one model, provider/id[:effort]" }));

/** The schema of the file. */
export const registryConfigSchema: Schema<RegistryConfig> = object({
  providers: optional(mapOf(provider)),
  equivalence: optional(object({ overrides: optional(mapOf(text)), exclude: optional(listOf(text)) })),
  profiles: optional(mapOf(object({ required_providers: optional(listOf(text)), model_mapping: selectors }))),
  modelBindings: optional(object({ modelRoles: optional(selectors), agentModelOverrides: optional(selectors) })),
});

/** A mistake in the user's file. */
export interface ConfigProblem {
  /** Names and indices that lead to it. */
  readonly path: readonly (string | number)[];
  /** One sentence that names the place, without the final period. */
  readonly message: string;
}

/** Lists every mistake; empty if the file is valid. */
export function checkRegistryConfig(value: JsonValue): ConfigProblem[] {
  const structural = new Checker(registryConfigSchema).problemsIn(value);
  if (structural.length > 0)
    return structural.map((problem) => ({
      path: problem.path,
      message: problemText(problem, problem.path.length === 0 ? "the file" : ""),
    }));
  const { providers = {} } = value as RegistryConfig;
  return Object.entries(providers).flatMap(([id, config]) => providerRules(["providers", id], config, isBuiltIn(id)));
}

/** A provider with its own address, API and key name. */
const isBuiltIn = (id: string): boolean => {
  const row = findRow(id);
  return row !== undefined && row.unsupported === undefined;
};

function providerRules(path: ConfigProblem["path"], config: ProviderConfig, builtIn: boolean): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = (below: ConfigProblem["path"], what: string): void => {
    const whole = [...path, ...below];
    problems.push({ path: whole, message: `${placeText(whole)} ${what}` });
  };
  const { models = [], baseUrl, apiKey, apiKeyEnv, auth, api: own, discovery } = config;
  if (models.length > 0 && !builtIn) {
    const bedrock = own === "bedrock-converse-stream";
    if (baseUrl === undefined) report(["baseUrl"], "is required with models");
    if (auth !== "none" && !bedrock && apiKey === undefined && apiKeyEnv === undefined)
      report(["apiKey"], "is required with models; set apiKey, apiKeyEnv or auth: none");
    for (const [index, model] of models.entries())
      if (own === undefined && model.api === undefined)
        report(["models", index, "api"], "is required here or at the provider");
  } else if (models.length === 0 && !overrideKeys.some((key) => config[key] !== undefined)) {
    report([], `must set one of ${overrideKeys.join(", ")} when it has no models`);
  }
  if (discovery !== undefined && own === undefined) report(["api"], "is required with discovery");
  return problems;
}

const overrideKeys: readonly (keyof ProviderConfig)[] = [
  "baseUrl",
  "headers",
  "compat",
  "requestTransform",
  "disableStrictTools",
  "modelOverrides",
  "discovery",
];
