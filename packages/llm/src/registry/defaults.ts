// The model that a provider's user most likely wants if nothing else is specified. Data, revised with the catalog.

/** The model to use if only a provider is named. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: "claude-opus-5-5",
  openai: "gpt-6.1-sol",
  gemini: "gemini-4-argon",
  "azure-openai": "gpt-5.2",
  "amazon-bedrock": "anthropic.claude-opus-4-8",
  "google-vertex": "gemini-4-argon",
  xai: "grok-4.7",
  deepseek: "deepseek-v4-pro",
  zai: "glm-5.2",
  minimax: "MiniMax-M3.1-Flash",
  "minimax-code": "MiniMax-M3.1-Flash",
  "minimax-code-cn": "MiniMax-M3.1-Flash",
  mistral: "mistral-medium-2604",
  openrouter: "anthropic/claude-opus-4.8",
};
