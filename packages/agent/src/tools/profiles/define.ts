// Makes a Profile from data: a family's tool list and prompt file, and what the catalog knows about the model.

import { builtinCatalog, type JsonObject, type ModelInfo } from "@lathe/llm";
import { systemPrompt } from "../../context/system-prompt.ts";
import type { SessionTool } from "../../contract/registry/host-tool.ts";
import { ToolRegistry } from "../../contract/registry/registry.ts";
import type { ToolDef } from "../../contract/tool.ts";
import type { EditVariant } from "../builtin/edit-variant.ts";
import { disciplineFor } from "./discipline.ts";
import { type EditKit, editKits } from "./edit-kits.ts";
import type { Profile } from "./types.ts";

/** What defines a family: everything that does not depend on the model. */
export interface Family {
  readonly id: string;
  /** `{{editing}}` is replaced by the text about its way of editing. */
  readonly prompt: string;
  readonly editing?: string | undefined;
  readonly tools: readonly ToolDef[];
  /** The tools for another way of editing; a family without this has only its own. */
  readonly toolsWith?: ((kit: EditKit) => readonly ToolDef[]) | undefined;
  readonly instructionFiles: readonly string[];
  readonly shellTimeoutMs?: number | undefined;
}

/** The model that a profile is for, and how it differs from its family. */
export interface ProfileOptions {
  readonly model: string;
  /** Registered provider that receives the requests; the family's own when absent. */
  readonly provider?: string | undefined;
  /** Window, price and abilities of the model; from the built-in catalog when absent. */
  readonly modelInfo?: ModelInfo | undefined;
  /** Replaces the base layer of the prompt. */
  readonly basePrompt?: string | undefined;
  readonly userInstructions?: string | undefined;
  /** Puts rules for tool calls ahead of the prompt; decided by the model's name when absent. */
  readonly isDisciplined?: boolean | undefined;
  /** Another way of editing than the family's own, for the tool `edit`. */
  readonly editVariant?: EditVariant | undefined;
  /** Further tools, after the family's own. A tool with the same name replaces the family's. */
  readonly tools?: readonly SessionTool[] | undefined;
  /** Features whose tools are not offered. */
  readonly without?: readonly string[] | undefined;
  /** If given, only these tools are offered. */
  readonly only?: readonly string[] | undefined;
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
  readonly maxTokens?: number | undefined;
  readonly cachesLong?: boolean | undefined;
  readonly shellTimeoutMs?: number | undefined;
}

const DEFAULT_WINDOW = 128_000;

/** Makes the profile of a model: tools and prompt from its family, limits from the catalog. */
export function defineProfile(family: Family, options: ProfileOptions): Profile {
  const { prompt, editing = "", tools } = toolset(family, options);
  const { without = [] } = options;
  const offered = tools.filter(({ feature = "" }) => !without.includes(feature));
  const registry = new ToolRegistry([...offered, ...(options.tools ?? [])]);
  if (options.only) for (const name of registry.names()) if (!options.only.includes(name)) registry.unregister(name);
  const provider = options.provider ?? family.id;
  const info = options.modelInfo ?? builtinCatalog.get(provider, options.model);
  const shellTimeoutMs = options.shellTimeoutMs ?? family.shellTimeoutMs;
  const lead = disciplineFor(options.model, options.isDisciplined);
  return {
    id: family.id,
    provider,
    model: options.model,
    toolRegistry: registry,
    tools: () => registry.definitions(),
    buildSystemPrompt: (_env, projectDocs, more) =>
      systemPrompt({
        base: options.basePrompt ?? prompt.replace("{{editing}}", () => editing.trim()),
        tools: registry.definitions(),
        projectDocs,
        more,
        ...(lead === undefined ? {} : { lead }),
        ...(options.userInstructions === undefined ? {} : { userInstructions: options.userInstructions }),
      }),
    providerOptions: () => options.providerOptions,
    supportsReasoning: info?.supportsReasoning ?? false,
    supportsStreaming: true,
    supportsParallelToolCalls: true,
    contextWindowSize: info?.contextWindow ?? DEFAULT_WINDOW,
    instructionFiles: family.instructionFiles,
    ...(options.userInstructions === undefined ? {} : { userInstructions: options.userInstructions }),
    ...(shellTimeoutMs === undefined ? {} : { shellTimeoutMs }),
    ...(info === undefined ? {} : { modelInfo: info }),
    ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
    ...(options.cachesLong ? { cachesLong: true } : {}),
  };
}

function toolset(family: Family, { editVariant }: ProfileOptions): Pick<Family, "prompt" | "editing" | "tools"> {
  if (editVariant === undefined) return family;
  if (!family.toolsWith) throw new Error(`the profile ${family.id} has only its own way of editing`);
  const kit = editKits[editVariant];
  return { prompt: family.prompt, editing: kit.editing, tools: family.toolsWith(kit) };
}
