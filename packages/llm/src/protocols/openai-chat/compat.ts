// Which dialect a Chat Completions server speaks: one table by base URL, which the model's row overrides. The encoder
// and decoder see only the resolved switches, never a vendor's name.

import type { ModelInfo, OpenAICompat } from "../../types/model.ts";
import { withoutUndefined } from "../../types/some.ts";

/** The switches that have a value for every server. */
type Resolved =
  | "supportsStore"
  | "supportsDeveloperRole"
  | "supportsMultipleSystemMessages"
  | "sendSessionHeaders"
  | "supportsUsageInStreaming"
  | "maxTokensField"
  | "supportsToolChoice"
  | "disableReasoningOnForcedToolChoice"
  | "supportsReasoningEffort"
  | "thinkingFormat"
  | "requiresReasoningContentForToolCalls"
  | "requiresAssistantContentForToolCalls"
  | "requiresToolResultName"
  | "requiresAssistantAfterToolResult"
  | "requiresThinkingAsText"
  | "requiresMistralToolIds"
  | "supportsStrictMode"
  | "supportsJsonSchema";

export type Compat = OpenAICompat & { readonly [K in Resolved]-?: NonNullable<OpenAICompat[K]> };

/** Safe settings for any unknown server. */
const foreign: Compat = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsMultipleSystemMessages: true,
  sendSessionHeaders: false,
  supportsUsageInStreaming: true,
  maxTokensField: "max_tokens",
  supportsToolChoice: true,
  disableReasoningOnForcedToolChoice: false,
  supportsReasoningEffort: true,
  thinkingFormat: "openai",
  requiresReasoningContentForToolCalls: false,
  requiresAssistantContentForToolCalls: false,
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  requiresThinkingAsText: false,
  requiresMistralToolIds: false,
  supportsStrictMode: false,
  supportsJsonSchema: true,
};

const kimi: OpenAICompat = {
  reasoningContentField: "reasoning_content",
  disableReasoningOnForcedToolChoice: true,
  requiresReasoningContentForToolCalls: true,
  requiresAssistantContentForToolCalls: true,
  supportsReasoningEffort: false,
};
const glm: OpenAICompat = {
  supportsReasoningEffort: false,
  thinkingFormat: "zai",
  reasoningContentField: "reasoning_content",
  supportsJsonSchema: false,
};
const minimax: OpenAICompat = {
  supportsMultipleSystemMessages: false,
  supportsReasoningEffort: false,
  reasoningContentField: "reasoning_content",
};
const openai: OpenAICompat = {
  supportsStore: true,
  supportsDeveloperRole: true,
  maxTokensField: "max_completion_tokens",
  maxToolIdLength: 40,
  supportsStrictMode: true,
};

/** Matched against the end of the host name; the first row wins. */
export const compatByHost: readonly { readonly host: string; readonly compat: OpenAICompat }[] = [
  { host: "api.openai.com", compat: openai },
  { host: "openai.azure.com", compat: openai },
  {
    host: "openrouter.ai",
    compat: {
      thinkingFormat: "openrouter",
      reasoningContentField: "reasoning",
      requiresReasoningContentForToolCalls: true,
    },
  },
  { host: "ai-gateway.vercel.sh", compat: { reasoningContentField: "reasoning" } },
  {
    host: "deepseek.com",
    compat: {
      supportsToolChoice: false,
      supportsJsonSchema: false,
      thinkingFormat: "deepseek",
      reasoningContentField: "reasoning_content",
      requiresReasoningContentForToolCalls: true,
      reasoningEffortMap: { minimal: "high", low: "high", medium: "high", xhigh: "max" },
    },
  },
  {
    host: "mistral.ai",
    compat: {
      requiresToolResultName: true,
      requiresThinkingAsText: true,
      requiresMistralToolIds: true,
      requiresAssistantAfterToolResult: true,
      supportsReasoningEffort: false,
    },
  },
  { host: "moonshot.ai", compat: kimi },
  { host: "moonshot.cn", compat: kimi },
  { host: "kimi.com", compat: kimi },
  { host: "z.ai", compat: glm },
  { host: "bigmodel.cn", compat: glm },
  { host: "minimax.io", compat: minimax },
  { host: "minimaxi.com", compat: minimax },
  { host: "x.ai", compat: { supportsReasoningEffort: false, reasoningContentField: "reasoning_content" } },
  {
    host: "aliyuncs.com",
    compat: { thinkingFormat: "qwen", reasoningContentField: "reasoning_content", supportsReasoningEffort: false },
  },
  { host: "portal.qwen.ai", compat: { thinkingFormat: "qwen", reasoningContentField: "reasoning_content" } },
  { host: "xiaomimimo.com", compat: { reasoningContentField: "reasoning_content", thinkingFormat: "zai" } },
  { host: "api.groq.com", compat: { maxTokensField: "max_completion_tokens", reasoningContentField: "reasoning" } },
  { host: "cerebras.ai", compat: { maxTokensField: "max_completion_tokens", reasoningContentField: "reasoning" } },
  { host: "fireworks.ai", compat: { reasoningContentField: "reasoning_content" } },
];

/** Models that refuse the same things behind every gateway. */
const compatByModel: readonly { readonly id: RegExp; readonly compat: OpenAICompat }[] = [
  { id: /\bclaude-/i, compat: { disableReasoningOnForcedToolChoice: true } },
];

export function detectCompat(baseUrl: string): OpenAICompat {
  const host = hostOf(baseUrl);
  return compatByHost.find((row) => host === row.host || host.endsWith(`.${row.host}`))?.compat ?? {};
}

export function resolveCompat(model: ModelInfo, baseUrl: string): Compat {
  const routed = hostOf(baseUrl);
  const ofModel = compatByModel.find(({ id }) => id.test(model.id))?.compat;
  const merged = { ...foreign, ...ofModel, ...mergeCompat(detectCompat(baseUrl), model.compat) } as Compat;
  const { openRouterRouting, vercelGatewayRouting, ...rest } = merged;
  return {
    ...rest,
    ...(openRouterRouting && /(^|\.)openrouter\.ai$/.test(routed) ? { openRouterRouting } : {}),
    ...(vercelGatewayRouting && routed === "ai-gateway.vercel.sh" ? { vercelGatewayRouting } : {}),
  };
}

/** `over` wins; nested objects are merged key by key. */
export function mergeCompat(base: OpenAICompat | undefined, over: OpenAICompat | undefined): OpenAICompat {
  const merged: OpenAICompat = { ...base, ...withoutUndefined(over) };
  if (!base || !over) return merged;
  return {
    ...merged,
    ...(base.openRouterRouting && over.openRouterRouting
      ? { openRouterRouting: { ...base.openRouterRouting, ...over.openRouterRouting } }
      : {}),
    ...(base.vercelGatewayRouting && over.vercelGatewayRouting
      ? { vercelGatewayRouting: { ...base.vercelGatewayRouting, ...over.vercelGatewayRouting } }
      : {}),
    ...(base.extraBody && over.extraBody ? { extraBody: { ...base.extraBody, ...over.extraBody } } : {}),
  };
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
}
