// Entries of models.yml that can be added by name: address, API, dialect and the name of the variable for the key.
// Never a key.

import type { ProviderConfig } from "@lathe/llm";
import { replaceFile, withFileLock } from "../platform/home/json-file.ts";
import { schemaComment } from "../platform/home/package-folder.ts";
import { readIfThere } from "../platform/home/small-file.ts";
import { usageError } from "../platform/usage/exit.ts";

interface ProviderPreset {
  readonly provider: string;
  readonly entry: ProviderConfig & { readonly apiKeyEnv: string };
}

const minimax = (provider: string, baseUrl: string, apiKeyEnv: string): ProviderPreset => ({
  provider,
  entry: {
    baseUrl,
    api: "openai-completions",
    apiKeyEnv,
    compat: {
      supportsStore: false,
      supportsDeveloperRole: false,
      supportsMultipleSystemMessages: false,
      supportsReasoningEffort: false,
      reasoningContentField: "reasoning_content",
    },
  },
});

/** A proxy that speaks the same protocol as the built-in provider zai. */
const glm: ProviderPreset = {
  provider: "glm-proxy",
  entry: {
    baseUrl: "https://api.z.ai/api/paas/v4",
    api: "openai-completions",
    apiKeyEnv: "ZAI_API_KEY",
    compat: { supportsDeveloperRole: false, supportsReasoningEffort: false, thinkingFormat: "zai" },
    models: [
      {
        id: "glm-5.2",
        reasoning: true,
        contextWindow: 1_000_000,
        maxTokens: 131_072,
        thinking: { mode: "toggle", levels: ["high", "max"] },
      },
    ],
  },
};

const PRESETS: Readonly<Record<string, ProviderPreset>> = {
  minimax: minimax("minimax-code", "https://api.minimax.io/v1", "MINIMAX_CODE_API_KEY"),
  "minimax-cn": minimax("minimax-code-cn", "https://api.minimaxi.com/v1", "MINIMAX_CODE_CN_API_KEY"),
  glm,
  zai: glm,
  "z-ai": glm,
};

export const providerPresetNames: readonly string[] = Object.keys(PRESETS);

export interface AddedProvider {
  readonly provider: string;
  readonly file: string;
  /** False if the file already had an entry of that name, which was left unchanged. */
  readonly added: boolean;
  /** The variable that holds its key. */
  readonly keyVariable: string;
}

export async function addProviderPreset(file: string, name: string): Promise<AddedProvider> {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (!preset)
    throw usageError(`There is no provider preset "${name}". Choose one of: ${providerPresetNames.join(", ")}.`);
  const { provider, entry } = preset;
  const added = await withFileLock(file, () => addEntry(file, provider, entry));
  return { provider, file, added, keyVariable: entry.apiKeyEnv };
}

/** Lines that say what was done and what to do next. */
export function addedLines({ provider, file, added, keyVariable }: AddedProvider): readonly string[] {
  const done = added
    ? `Added the provider ${provider} to ${file}.`
    : `${file} has an entry for ${provider} already; it was not changed.`;
  return [done, `Set ${keyVariable}, or run: lathe login ${provider}`];
}

async function addEntry(file: string, provider: string, entry: ProviderConfig): Promise<boolean> {
  const { isProblem, readYaml } = await import("../platform/home/yaml.ts");
  const text = readIfThere(file);
  const read = readYaml(text ?? "");
  if (isProblem(read)) throw usageError(`${file}:${read.line}: ${read.message}. Fix that line first.`);
  const { document, value } = read;
  const isMapping = (part: unknown): boolean =>
    part === null || part === undefined || (typeof part === "object" && !Array.isArray(part));
  const providers = isMapping(value) ? (value as { providers?: unknown } | null)?.providers : value;
  if (!isMapping(providers)) throw usageError(`${file}: providers is not a mapping. Fix the file first.`);
  if (document.hasIn(["providers", provider])) return false;
  // A section without values is null: replace it with a map.
  if (providers === null) document.setIn(["providers"], document.createNode({ [provider]: entry }));
  else document.setIn(["providers", provider], document.createNode(entry));
  await replaceFile(file, (text === undefined ? schemaComment(file) : "") + document.toString());
  return true;
}
