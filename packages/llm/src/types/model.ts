// What is known about a model: one row of the catalog, extended by the user's registry.

import type { JsonObject } from "./json.ts";
import type { Some } from "./some.ts";

/** The wire formats. */
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

/** How hard a model thinks. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** How to ask a model to think, and how hard it can. */
export interface ThinkingInfo {
  /** The vendor's form. `budget`: a token count; `adaptive`: Anthropic's effort; `level`: Gemini 3's thinkingLevel. */
  readonly mode: "effort" | "budget" | "adaptive" | "level" | "toggle";
  readonly minLevel?: ThinkingLevel | undefined;
  readonly maxLevel?: ThinkingLevel | undefined;
  readonly defaultLevel?: ThinkingLevel | undefined;
  readonly levels?: readonly ThinkingLevel[] | undefined;
  /** Requested if the vendor hides this model's thinking text by default. */
  readonly display?: "summarized" | undefined;
}

/** US dollars per million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All prices once the prompt is longer than `above` tokens. */
  readonly longPrompt?: LongPromptCost | undefined;
}

/** Prices of a request with a long prompt. */
export interface LongPromptCost extends Omit<ModelCost, "longPrompt"> {
  /** Tokens. */
  readonly above: number;
}

/** What is known about a model. */
export interface ModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly displayName: string;
  readonly api?: Api | undefined;
  readonly contextWindow: number;
  readonly maxOutput?: number | undefined;
  readonly supportsTools: boolean;
  readonly supportsVision: boolean;
  readonly supportsReasoning: boolean;
  readonly input: readonly ("text" | "image" | "audio" | "document")[];
  readonly cost?: ModelCost | undefined;
  readonly inputCostPerMillion?: number | undefined;
  readonly outputCostPerMillion?: number | undefined;
  readonly aliases: readonly string[];
  readonly thinking?: ThinkingInfo | undefined;
  readonly compat?: OpenAICompat | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly contextPromotionTarget?: string | undefined;
  readonly wireModelId?: string | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly disableAdaptiveThinking?: boolean | undefined;
  readonly supportsEagerToolInputStreaming?: boolean | undefined;
  readonly supportsLongCacheRetention?: boolean | undefined;
  /** Bedrock: the model accepts `cachePoint` blocks. */
  readonly supportsCachePoint?: boolean | undefined;
  /** Temperature and topP: `never` accepted, or only while the model does not reason. */
  readonly sampling?: "never" | "without-reasoning" | undefined;
  /** Tools may be offered, but a call cannot be forced. */
  readonly refusesForcedTools?: boolean | undefined;
  readonly releaseDate?: string | undefined;
  readonly knowledgeCutoff?: string | undefined;
}

/** How long a vendor keeps the prompt in its cache. */
export type CacheRetention = "none" | "short" | "long";

/** Changes to requests for a proxy in front of a vendor. */
export interface RequestTransform {
  readonly profile?: "openai-proxy" | undefined;
  readonly stripHeaders?: readonly string[] | undefined;
  /** `null` removes the header. */
  readonly setHeaders?: Readonly<Record<string, string | null>> | undefined;
  readonly extraBody?: JsonObject | undefined;
}

/** The dialect switches for Chat Completions servers (AD-21). Unset ones are detected from the base URL. */
export interface OpenAICompat {
  readonly supportsStore?: boolean | undefined;
  readonly supportsDeveloperRole?: boolean | undefined;
  readonly supportsMultipleSystemMessages?: boolean | undefined;
  readonly sendSessionHeaders?: boolean | undefined;
  readonly supportsUsageInStreaming?: boolean | undefined;
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens" | undefined;
  readonly supportsToolChoice?: boolean | undefined;
  readonly disableReasoningOnForcedToolChoice?: boolean | undefined;
  readonly extraBody?: JsonObject | undefined;
  readonly supportsReasoningEffort?: boolean | undefined;
  readonly reasoningEffortMap?: Some<Record<ThinkingLevel, string>> | undefined;
  readonly thinkingFormat?: "openai" | "openrouter" | "deepseek" | "zai" | "qwen" | "qwen-chat-template" | undefined;
  readonly reasoningContentField?: "reasoning_content" | "reasoning" | "reasoning_text" | undefined;
  readonly requiresReasoningContentForToolCalls?: boolean | undefined;
  readonly requiresAssistantContentForToolCalls?: boolean | undefined;
  readonly requiresToolResultName?: boolean | undefined;
  readonly requiresAssistantAfterToolResult?: boolean | undefined;
  readonly requiresThinkingAsText?: boolean | undefined;
  readonly requiresMistralToolIds?: boolean | undefined;
  /** Longer call ids are replaced by shorter ones; none are if unset. */
  readonly maxToolIdLength?: number | undefined;
  readonly supportsStrictMode?: boolean | undefined;
  /** `response_format` accepts a schema; otherwise we use JSON mode and put the schema into the system text. */
  readonly supportsJsonSchema?: boolean | undefined;
  readonly toolStrictMode?: "all_strict" | "none" | undefined;
  readonly openRouterRouting?: { readonly only?: readonly string[]; readonly order?: readonly string[] } | undefined;
  readonly vercelGatewayRouting?: { readonly only?: readonly string[]; readonly order?: readonly string[] } | undefined;
}
