// What a profile gives the loop: the tools and prompt a model family knows best. Data and prompt files; the loop holds
// no vendor names.

import type { JsonObject, ModelInfo, ToolDefinition } from "@lathe/llm";
import type { MoreLayers } from "../../context/system-prompt.ts";
import type { ToolRegistry } from "../../contract/registry/registry.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** The tools, prompt and limits that a session works with for one model; `defineProfile` makes one. */
export interface Profile {
  /** Also the provider that requests go to unless `provider` says otherwise. */
  readonly id: string;
  readonly provider?: string | undefined;
  readonly model: string;
  readonly toolRegistry: ToolRegistry;
  /** Must not hold volatile text (date, cwd, git state): that is the environment block's. */
  buildSystemPrompt(env: ExecutionEnvironment, projectDocs: string, more?: MoreLayers): string | Promise<string>;
  /** What the model is offered, in a fixed order. */
  tools(): readonly ToolDefinition[];
  providerOptions(): Readonly<Record<string, JsonObject>> | undefined;
  readonly supportsReasoning: boolean;
  readonly supportsStreaming: boolean;
  readonly supportsParallelToolCalls: boolean;
  readonly contextWindowSize: number;
  /** Default timeout of the shell tool; beats the session's `defaultCommandTimeoutMs`. */
  readonly shellTimeoutMs?: number | undefined;
  /** What the user added at the end of the prompt. */
  readonly userInstructions?: string | undefined;
  /** Names of instruction files this family reads besides AGENTS.md. */
  readonly instructionFiles: readonly string[];
  /** Catalog row, when known: vision, prices, output cap. */
  readonly modelInfo?: ModelInfo | undefined;
  /** How hard a child agent with this profile thinks; as its parent does when absent. */
  readonly reasoningEffort?: string | undefined;
  /** Cap on output tokens to ask for. */
  readonly maxTokens?: number | undefined;
  /** The vendor is asked to keep what it caches for an hour, which costs more to write. */
  readonly cachesLong?: boolean | undefined;
}
