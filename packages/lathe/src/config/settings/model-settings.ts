// Settings of models: which one does which job, and how to reach them.

import { choice, flag, type Schema, text } from "@lathe/llm/schema";
import { choiceOrEmpty, scopedList, wordList } from "./setting-kinds.ts";

const THINKING = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export const MODEL_SETTINGS = {
  model: text({ default: "", description: "model to use unless the run names one: provider/id[:effort]" }),
  "modelRoles.smol": text({ default: "", description: "model for small jobs" }),
  "modelRoles.slow": text({ default: "", description: "model for hard jobs" }),
  "modelRoles.plan": text({ default: "", description: "model for planning" }),
  "modelRoles.executor": text({
    default: "",
    description: "model of agents that do the work (lathe/executor in agent files)",
  }),
  "modelRoles.architect": text({ default: "", description: "model of agents that design; empty = modelRoles.slow" }),
  "modelRoles.planner": text({ default: "", description: "model of agents that plan; empty = modelRoles.plan" }),
  "modelRoles.critic": text({ default: "", description: "model of agents that review; empty = modelRoles.slow" }),
  "modelRoles.vision": text({ default: "", description: "model that looks at images for inspect_image" }),
  "modelProfile.default": text({
    default: "",
    description: "preset whose models are used for all jobs, as with --mpreset; empty = none",
  }),
  enabledModels: scopedList({
    description: "patterns of models to choose from; empty = all; an entry may be {path, models}",
  }),
  disabledProviders: scopedList({ description: "providers that are never used; an entry may be {path, providers}" }),
  modelProviderOrder: wordList({ description: "which provider to prefer when several offer the same model" }),
  defaultThinkingLevel: choiceOrEmpty(THINKING, { description: "reasoning effort; empty = the model's own default" }),
  cacheRetention: choiceOrEmpty(["none", "short", "long"], {
    description: "prompt cache lifetime; empty = the provider's default",
  }),
  "providers.openaiWebsockets": choiceOrEmpty(["auto", "off", "on"], {
    description:
      "receive OpenAI's answers over a websocket: auto falls back to HTTP, on does not; empty = off, unless LATHE_CODEX_WEBSOCKET is set",
  }),
  toolDiscipline: choice(["auto", "on", "off"], {
    default: "auto",
    description:
      "rules for tool calls ahead of the system prompt: auto = for models that are known to need them; on = for all; off = for none",
  }),
  "localModels.calls": choice(["auto", "native", "text"], {
    default: "auto",
    description:
      "how models of local servers call tools: auto = by the server's own calls, as text where it refuses them; native = only the server's own; text = always as text",
  }),
  "localModels.grammar": flag({
    default: true,
    description: "ask a local model again, under a grammar, for a call that cannot be read",
  }),
  "localModels.learnEdits": flag({
    default: true,
    description: "count which edits of a model are applied, and start its next session with the way that works best",
  }),
  "contextPromotion.enabled": flag({
    default: false,
    description: "switch to a larger model when the context overflows",
  }),
} as const satisfies Record<string, Schema>;
