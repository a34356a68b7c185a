// What is known about a model: one row of the catalog, widened by the user's registry.

import type { JsonObject } from "./json.ts";

export type Api =
  | "openai-responses"
  | "openai-completions"
  | "openai-codex-responses"
  | "azure-openai-responses"
  | "anthropic-messages"
  | "bedrock-converse-stream"
  | "google-generative-ai"
  | "google-vertex"
  | "google-gemini-cli"
  | "ollama-chat"
  | "cursor-agent";

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ThinkingInfo {
  /** How the vendor takes it. `budget`: a token count; `adaptive`: Anthropic's effort; `level`: Gemini 3's thinkingLevel. */
  readonly mode: "effort" | "budget" | "adaptive" | "level" | "toggle";
  readonly minLevel?: ThinkingLevel;
  readonly maxLevel?: ThinkingLevel;
  readonly defaultLevel?: ThinkingLevel;
  readonly levels?: readonly ThinkingLevel[];
  /** Asked for where the vendor hides the thinking text of this model unless told otherwise. */
  readonly display?: "summarized";
}

/** US dollars per million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly displayName: string;
  readonly api?: Api;
  readonly contextWindow: number;
  readonly maxOutput?: number;
  readonly supportsTools: boolean;
  readonly supportsVision: boolean;
  readonly supportsReasoning: boolean;
  readonly input: readonly ("text" | "image" | "audio" | "document")[];
  readonly cost?: ModelCost;
  readonly inputCostPerMillion?: number;
  readonly outputCostPerMillion?: number;
  readonly aliases: readonly string[];
  readonly thinking?: ThinkingInfo;
  readonly compat?: OpenAICompat;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cacheRetention?: CacheRetention;
  readonly contextPromotionTarget?: string;
  readonly wireModelId?: string;
  readonly requestTransform?: RequestTransform;
  readonly disableAdaptiveThinking?: boolean;
  readonly supportsEagerToolInputStreaming?: boolean;
  readonly supportsLongCacheRetention?: boolean;
  /** Bedrock: the model accepts `cachePoint` blocks. */
  readonly supportsCachePoint?: boolean;
  /** Temperature and topP: `never` accepted, or only while the model does not reason. */
  readonly sampling?: "never" | "without-reasoning";
  /** The model may only be offered tools, not told to call one. */
  readonly refusesForcedTools?: boolean;
  readonly releaseDate?: string;
  readonly knowledgeCutoff?: string;
}

export type CacheRetention = "none" | "short" | "long";

export interface RequestTransform {
  readonly profile?: "openai-proxy";
  readonly stripHeaders?: readonly string[];
  /** `null` removes the header. */
  readonly setHeaders?: Readonly<Record<string, string | null>>;
  readonly extraBody?: JsonObject;
}

/** The dialect switches of Chat Completions servers (AD-21). Unset: detected from the base URL. */
export interface OpenAICompat {
  readonly supportsStore?: boolean;
  readonly supportsDeveloperRole?: boolean;
  readonly supportsMultipleSystemMessages?: boolean;
  readonly sendSessionHeaders?: boolean;
  readonly supportsUsageInStreaming?: boolean;
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens";
  readonly supportsToolChoice?: boolean;
  readonly disableReasoningOnForcedToolChoice?: boolean;
  readonly extraBody?: JsonObject;
  readonly supportsReasoningEffort?: boolean;
  readonly reasoningEffortMap?: Readonly<Partial<Record<ThinkingLevel, string>>>;
  readonly thinkingFormat?: "openai" | "openrouter" | "deepseek" | "zai" | "qwen" | "qwen-chat-template";
  readonly reasoningContentField?: "reasoning_content" | "reasoning" | "reasoning_text";
  readonly requiresReasoningContentForToolCalls?: boolean;
  readonly requiresAssistantContentForToolCalls?: boolean;
  readonly requiresToolResultName?: boolean;
  readonly requiresAssistantAfterToolResult?: boolean;
  readonly requiresThinkingAsText?: boolean;
  readonly requiresMistralToolIds?: boolean;
  /** Longer ids of calls are replaced by shorter ones; unset: none are. */
  readonly maxToolIdLength?: number;
  readonly supportsStrictMode?: boolean;
  /** `response_format` takes a schema; otherwise JSON mode, and the schema goes into the system text. */
  readonly supportsJsonSchema?: boolean;
  readonly toolStrictMode?: "all_strict" | "none";
  readonly openRouterRouting?: { readonly only?: readonly string[]; readonly order?: readonly string[] };
  readonly vercelGatewayRouting?: { readonly only?: readonly string[]; readonly order?: readonly string[] };
}
