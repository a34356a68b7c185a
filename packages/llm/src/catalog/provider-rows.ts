// Every vendor that this package can talk to, as data. An OpenAI-compatible one needs only a new row here: its dialect
// switches come from the compat table by host, or from the row.

import type { Api, OpenAICompat } from "../types/model.ts";

/** How a credential gets into a request. */
export type AuthStyle = "bearer" | "x-api-key" | "api-key" | "x-goog-api-key" | "vertex" | "aws" | "none";

/** A provider as data. */
export interface ProviderRow {
  readonly id: string;
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly api: Api;
  /** Used if the API above answers 404; remembered per adapter. */
  readonly fallbackApi?: Api | undefined;
  readonly baseUrl?: string | undefined;
  readonly baseUrlEnv?: readonly string[] | undefined;
  /** Added to a base URL that lacks it, for servers that are usually addressed by host only. */
  readonly basePath?: string | undefined;
  readonly auth: AuthStyle;
  /** The first variable that is set wins. */
  readonly keyEnv: readonly string[];
  /** Works without a key; if there is one, it is sent. */
  readonly keyless?: boolean | undefined;
  /** Never registered just because a variable exists, because the variable belongs to another row as well. */
  readonly explicitOnly?: boolean | undefined;
  /** Header name by environment variable. */
  readonly headerEnv?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly compat?: OpenAICompat | undefined;
  /** Host, credential, headers and certificates also follow this vendor's gateway variables. */
  readonly gateway?: "anthropic" | undefined;
  /** Has an endpoint that compacts a conversation. */
  readonly compacts?: boolean | undefined;
  /** One variable of each group must be set before a key alone registers the provider. */
  readonly needsEnv?: readonly (readonly string[])[] | undefined;
  readonly discovery?: "ollama" | "llama.cpp" | "lm-studio" | "openai-compatible" | undefined;
  /** Why this id cannot be used. */
  readonly unsupported?: string | undefined;
}

const compatible = (
  id: string,
  name: string,
  baseUrl: string,
  keyEnv: string | readonly string[],
  more: Partial<ProviderRow> = {},
): ProviderRow => ({
  id,
  name,
  api: "openai-completions",
  baseUrl,
  auth: "bearer",
  keyEnv: typeof keyEnv === "string" ? [keyEnv] : keyEnv,
  ...more,
});

const unsupportedRow = (
  id: string,
  name: string,
  api: Api,
  keyEnv: readonly string[],
  reason: string,
): ProviderRow => ({
  id,
  name,
  api,
  auth: "bearer",
  keyEnv,
  unsupported: reason,
});

/** The three providers that a client registers first, in this order. */
const first: readonly ProviderRow[] = [
  {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    baseUrlEnv: ["OPENAI_BASE_URL"],
    compacts: true,
    auth: "bearer",
    keyEnv: ["OPENAI_API_KEY"],
    headerEnv: { OPENAI_ORG_ID: "openai-organization", OPENAI_PROJECT_ID: "openai-project" },
  },
  {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    baseUrlEnv: ["ANTHROPIC_BASE_URL"],
    auth: "x-api-key",
    keyEnv: ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"],
    gateway: "anthropic",
  },
  {
    id: "gemini",
    name: "Google Gemini",
    aliases: ["google"],
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com",
    baseUrlEnv: ["GEMINI_BASE_URL", "GOOGLE_BASE_URL"],
    auth: "x-goog-api-key",
    keyEnv: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  },
];

const clouds: readonly ProviderRow[] = [
  {
    id: "azure-openai",
    name: "Azure OpenAI",
    aliases: ["azure"],
    api: "azure-openai-responses",
    baseUrlEnv: ["AZURE_OPENAI_BASE_URL"],
    auth: "api-key",
    keyEnv: ["AZURE_OPENAI_API_KEY"],
    needsEnv: [["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_RESOURCE_NAME"]],
  },
  {
    id: "amazon-bedrock",
    name: "Amazon Bedrock",
    aliases: ["bedrock"],
    api: "bedrock-converse-stream",
    auth: "aws",
    keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
  },
  {
    id: "google-vertex",
    name: "Google Vertex AI",
    aliases: ["vertex"],
    api: "google-vertex",
    auth: "vertex",
    keyEnv: ["GOOGLE_CLOUD_API_KEY"],
    needsEnv: [
      ["GOOGLE_CLOUD_PROJECT", "GCP_PROJECT", "GCLOUD_PROJECT"],
      ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION"],
    ],
  },
];

const vendors: readonly ProviderRow[] = [
  compatible("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  compatible("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  compatible("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  compatible("firepass", "Fire Pass", "https://api.fireworks.ai/inference/v1", "FIREPASS_API_KEY"),
  compatible("together", "Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  compatible("aimlapi", "AIML API", "https://api.aimlapi.com/v1", "AIMLAPI_API_KEY"),
  compatible("huggingface", "Hugging Face", "https://router.huggingface.co/v1", ["HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"]),
  compatible("synthetic", "Synthetic", "https://api.synthetic.new/openai/v1", "SYNTHETIC_API_KEY"),
  compatible("nvidia", "NVIDIA", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
  compatible("nanogpt", "NanoGPT", "https://nano-gpt.com/api/v1", "NANO_GPT_API_KEY"),
  compatible("venice", "Venice", "https://api.venice.ai/api/v1", "VENICE_API_KEY"),
  compatible("litellm", "LiteLLM", "http://127.0.0.1:4000/v1", "LITELLM_API_KEY", { baseUrlEnv: ["LITELLM_BASE_URL"] }),
  compatible("xiaomi", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1", "XIAOMI_API_KEY"),
  compatible("moonshot", "Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  compatible("kimi-code", "Kimi Code", "https://api.kimi.com/coding/v1", "KIMI_API_KEY", {
    baseUrlEnv: ["KIMI_CODE_BASE_URL"],
  }),
  compatible("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
  compatible("xai-oauth", "xAI subscription", "https://api.x.ai/v1", ["XAI_OAUTH_TOKEN", "XAI_API_KEY"], {
    explicitOnly: true,
  }),
  compatible("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", {
    // Identifies the application in the gateway's statistics.
    headers: { "x-title": "Lathe" },
  }),
  compatible("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  compatible("zai", "Z.ai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
  compatible("zhipu-coding-plan", "Zhipu Coding Plan", "https://open.bigmodel.cn/api/coding/paas/v4", "ZHIPU_API_KEY"),
  compatible("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
  compatible("minimax-code", "MiniMax Code", "https://api.minimax.io/v1", "MINIMAX_CODE_API_KEY"),
  compatible("minimax-code-cn", "MiniMax Code (China)", "https://api.minimaxi.com/v1", "MINIMAX_CODE_CN_API_KEY"),
  compatible("opencode-zen", "OpenCode Zen", "https://opencode.ai/zen/v1", "OPENCODE_API_KEY"),
  compatible("opencode-go", "OpenCode Go", "https://opencode.ai/zen/go/v1", "OPENCODE_API_KEY"),
  compatible("qianfan", "Qianfan", "https://qianfan.baidubce.com/v2", "QIANFAN_API_KEY"),
  compatible("qwen-portal", "Qwen Portal", "https://portal.qwen.ai/v1", ["QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"]),
  compatible("zenmux", "ZenMux", "https://zenmux.ai/api/v1", "ZENMUX_API_KEY"),
  compatible("vllm", "vLLM", "http://127.0.0.1:8000/v1", "VLLM_API_KEY", {
    baseUrlEnv: ["VLLM_BASE_URL"],
    keyless: true,
    discovery: "openai-compatible",
  }),
  compatible("vercel-ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_API_KEY"),
  {
    id: "cloudflare-ai-gateway",
    name: "Cloudflare AI Gateway",
    api: "anthropic-messages",
    baseUrlEnv: ["CLOUDFLARE_AI_GATEWAY_BASE_URL"],
    auth: "x-api-key",
    keyEnv: ["CLOUDFLARE_AI_GATEWAY_API_KEY"],
    needsEnv: [["CLOUDFLARE_AI_GATEWAY_BASE_URL"]],
  },
  compatible(
    "alibaba-coding-plan",
    "Alibaba Coding Plan",
    "https://coding-intl.dashscope.aliyuncs.com/v1",
    "ALIBABA_CODING_PLAN_API_KEY",
  ),
  compatible("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
  compatible("perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
  // Refuses a request that has `stream_options`.
  compatible("cohere", "Cohere", "https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY", {
    compat: { supportsUsageInStreaming: false },
  }),
  compatible("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai", ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"]),
  compatible("nebius", "Nebius Token Factory", "https://api.tokenfactory.nebius.com/v1", "NEBIUS_API_KEY"),
  compatible("baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY"),
  {
    id: "cloudflare-workers-ai",
    name: "Cloudflare Workers AI",
    api: "openai-completions",
    // Includes the account: https://api.cloudflare.com/client/v4/accounts/<id>/ai/v1
    baseUrlEnv: ["CLOUDFLARE_WORKERS_AI_BASE_URL"],
    auth: "bearer",
    keyEnv: ["CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"],
    needsEnv: [["CLOUDFLARE_WORKERS_AI_BASE_URL", "CLOUDFLARE_ACCOUNT_ID"]],
  },
  compatible("kilo", "Kilo", "https://api.kilo.ai/api/gateway", "KILO_API_KEY"),
  compatible("ollama-cloud", "Ollama Cloud", "https://ollama.com/v1", "OLLAMA_CLOUD_API_KEY"),
  compatible("wafer-pass", "Wafer Pass", "https://pass.wafer.ai/v1", "WAFER_PASS_API_KEY"),
  compatible("wafer-serverless", "Wafer Serverless", "https://pass.wafer.ai/v1", "WAFER_SERVERLESS_API_KEY"),
];

const local: readonly ProviderRow[] = [
  {
    id: "ollama",
    name: "Ollama",
    api: "openai-responses",
    fallbackApi: "openai-completions",
    baseUrl: "http://127.0.0.1:11434",
    baseUrlEnv: ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
    basePath: "/v1",
    auth: "bearer",
    keyEnv: ["OLLAMA_API_KEY"],
    keyless: true,
    explicitOnly: true,
    discovery: "ollama",
  },
  {
    id: "llama.cpp",
    name: "llama.cpp",
    api: "openai-responses",
    fallbackApi: "openai-completions",
    baseUrl: "http://127.0.0.1:8080",
    baseUrlEnv: ["LLAMA_CPP_BASE_URL"],
    basePath: "/v1",
    auth: "bearer",
    keyEnv: ["LLAMA_CPP_API_KEY"],
    keyless: true,
    explicitOnly: true,
    discovery: "llama.cpp",
  },
  compatible("lm-studio", "LM Studio", "http://127.0.0.1:1234/v1", "LM_STUDIO_API_KEY", {
    baseUrlEnv: ["LM_STUDIO_BASE_URL"],
    keyless: true,
    explicitOnly: true,
    discovery: "lm-studio",
  }),
];

const named: readonly ProviderRow[] = [
  unsupportedRow(
    "openai-codex",
    "ChatGPT subscription",
    "openai-codex-responses",
    [],
    "signing in needs another product's client id; use provider openai with an API key from platform.openai.com",
  ),
  unsupportedRow("cursor", "Cursor", "cursor-agent", ["CURSOR_ACCESS_TOKEN"], "its protocol is not public"),
  unsupportedRow(
    "github-copilot",
    "GitHub Copilot",
    "openai-completions",
    ["COPILOT_GITHUB_TOKEN"],
    "signing in needs another product's client id; use the vendor's own provider, or openrouter, with an API key",
  ),
  unsupportedRow("gitlab-duo", "GitLab Duo", "openai-completions", ["GITLAB_TOKEN"], "its protocol is not public"),
  unsupportedRow(
    "google-gemini-cli",
    "Gemini CLI",
    "google-gemini-cli",
    [],
    "its backend is not public; use provider gemini with an API key",
  ),
];

/** All built-in providers. */
export const providerRows: readonly ProviderRow[] = [...first, ...clouds, ...vendors, ...local, ...named];

/** Finds a provider's row by its id or one of its other names. */
export function findRow(id: string): ProviderRow | undefined {
  return providerRows.find((row) => row.id === id || row.aliases?.includes(id));
}
