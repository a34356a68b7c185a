// What a profile gives the loop: the tools and prompt that a model family knows best. Data and prompt files; the loop
// contains no vendor names.

import type { JsonObject, ModelInfo, ToolDefinition } from "@lathe/llm";
import type { MoreLayers } from "../../context/system-prompt.ts";
import type { ToolRegistry } from "../../contract/registry/registry.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** The tools, prompt and limits that a session works with for one model; `defineProfile` makes one. */
export interface Profile {
  /** Also the provider that receives the requests, unless `provider` names another one. */
  readonly id: string;
  readonly provider?: string | undefined;
  readonly model: string;
  readonly toolRegistry: ToolRegistry;
  /** Must not contain volatile text (date, cwd, git state), which belongs in the environment block. */
  buildSystemPrompt(env: ExecutionEnvironment, projectDocs: string, more?: MoreLayers): string | Promise<string>;
  /** The tools offered to the model, in a fixed order. */
  tools(): readonly ToolDefinition[];
  providerOptions(): Readonly<Record<string, JsonObject>> | undefined;
  readonly supportsReasoning: boolean;
  readonly supportsStreaming: boolean;
  readonly supportsParallelToolCalls: boolean;
  readonly contextWindowSize: number;
  /** Default timeout of the shell tool; beats the session's `defaultCommandTimeoutMs`. */
  readonly shellTimeoutMs?: number | undefined;
  /** The user's instructions at the end of the prompt. */
  readonly userInstructions?: string | undefined;
  /** Names of instruction files this family reads besides AGENTS.md. */
  readonly instructionFiles: readonly string[];
  /** The catalog row, if known: vision, prices, output cap. */
  readonly modelInfo?: ModelInfo | undefined;
  /** How hard a child agent with this profile thinks; as hard as its parent when absent. */
  readonly reasoningEffort?: string | undefined;
  /** The cap on output tokens in each request. */
  readonly maxTokens?: number | undefined;
  /** The vendor is asked to keep its cache for an hour, which costs more to write. */
  readonly cachesLong?: boolean | undefined;
}
