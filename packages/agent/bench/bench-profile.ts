// A profile of a model with a huge window and no prompt to speak of: what is measured is the loop, not its text.

import type { ToolRegistry } from "../src/contract/registry/registry.ts";

export function benchProfile(toolRegistry: ToolRegistry) {
  return {
    id: "anthropic",
    model: "claude-opus-4-6",
    toolRegistry,
    buildSystemPrompt: () => "You are a benchmark.",
    tools: () => toolRegistry.definitions(),
    providerOptions: () => undefined,
    supportsReasoning: true,
    supportsStreaming: true,
    supportsParallelToolCalls: true,
    contextWindowSize: 10_000_000,
    instructionFiles: [],
  };
}
