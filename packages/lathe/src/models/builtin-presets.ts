// Presets that need no file: a model for each job, from one or two providers. Data, revised together with the catalog.
// Within a family, `eco` is the cheapest, `medium` is for everyday use, and `pro` thinks hardest. Roles that a preset
// leaves out keep their model: architect and critic use `slow`, planner uses `plan`, executor the default.

import type { ModelPreset } from "@lathe/llm";

/** `needs` lists the providers; the selectors in `mapping` are complete. */
const preset = (needs: readonly string[], mapping: Readonly<Record<string, string>>): ModelPreset => ({
  required_providers: needs,
  model_mapping: mapping,
});

/** All models come from one provider: for the session, for small jobs and for hard ones. */
const single = (provider: string, main: string, small: string, hard: string): ModelPreset =>
  preset([provider], {
    default: `${provider}/${main}`,
    smol: `${provider}/${small}`,
    slow: `${provider}/${hard}`,
    plan: `${provider}/${hard}`,
  });

export const builtinPresets: Readonly<Record<string, ModelPreset>> = {
  "claude-opus": single("anthropic", "claude-opus-5-5:high", "claude-haiku-5-5:low", "claude-opus-5-5:xhigh"),

  "codex-eco": single("openai", "gpt-6-luna:medium", "gpt-6-luna:low", "gpt-6.1-sol:medium"),
  "codex-medium": single("openai", "gpt-6.1-sol:medium", "gpt-6-luna:low", "gpt-6.1-sol:high"),
  "codex-pro": single("openai", "gpt-6.1-sol:high", "gpt-6-luna:medium", "gpt-6-astra:xhigh"),

  "glm-eco": single("zai", "glm-4.7:high", "glm-4.7-flash:off", "glm-5.1:high"),
  "glm-medium": single("zai", "glm-5.1:high", "glm-4.7-flash:off", "glm-5.2:high"),
  "glm-pro": single("zai", "glm-5.2:high", "glm-4.7:off", "glm-5.2:max"),

  "grok-eco": single("xai", "grok-4.3:medium", "grok-4.3:off", "grok-4.5:high"),
  "grok-medium": single("xai", "grok-4.7:medium", "grok-4.3:low", "grok-4.7:high"),
  "grok-pro": single("xai", "grok-4.7:high", "grok-4.3:low", "grok-4.7:xhigh"),

  "kimi-coding-plan-eco": single("kimi-code", "k2p5:off", "k2p5:off", "k2p6:high"),
  "kimi-coding-plan-medium": single("kimi-code", "k2p6:high", "k2p5:off", "k2p7:high"),
  "kimi-coding-plan-pro": single("kimi-code", "k2p7:high", "k2p6:off", "k2p7:high"),

  "mimo-eco": single("xiaomi", "mimo-v2.5:off", "mimo-v2.5:off", "mimo-v2.5:high"),
  "mimo-medium": single("xiaomi", "mimo-v2.5:high", "mimo-v2.5:off", "mimo-v2.5-pro:high"),
  "mimo-pro": single("xiaomi", "mimo-v2.5-pro:high", "mimo-v2.5:off", "mimo-v2.5-pro:high"),

  "minimax-eco": single("minimax-code", "MiniMax-M3:off", "MiniMax-M3:off", "MiniMax-M3:high"),
  "minimax-medium": single("minimax-code", "MiniMax-M3:high", "MiniMax-M3:off", "MiniMax-M3.1-Flash:high"),
  "minimax-pro": single("minimax-code", "MiniMax-M3.1-Flash:high", "MiniMax-M3:off", "MiniMax-M3.1-Flash:high"),

  opencodego: preset(["opencode-go"], {
    default: "opencode-go/kimi-k2.7-code:high",
    smol: "opencode-go/deepseek-v4-flash:high",
    slow: "opencode-go/glm-5.2:max",
    plan: "opencode-go/qwen3.7-max:high",
    executor: "opencode-go/deepseek-v4-pro:high",
    critic: "opencode-go/mimo-v2.5-pro:high",
  }),

  "opus-codex": preset(["anthropic", "openai"], {
    default: "anthropic/claude-opus-5-5:high",
    smol: "anthropic/claude-haiku-5-5:low",
    slow: "openai/gpt-6.1-sol:xhigh",
    plan: "anthropic/claude-opus-5-5:xhigh",
    executor: "openai/gpt-6.1-sol:medium",
  }),
  "codex-opencodego": preset(["openai", "opencode-go"], {
    default: "openai/gpt-6.1-sol:medium",
    smol: "opencode-go/deepseek-v4-flash:high",
    slow: "openai/gpt-6.1-sol:high",
    plan: "openai/gpt-6.1-sol:high",
    executor: "opencode-go/kimi-k2.7-code:high",
    critic: "opencode-go/glm-5.2:max",
  }),
};
