// The list that `lathe models` shows: every model with what it costs, what it can do, and which credential it would use.

import { expandModels, type ModelInfo, offeredLevels } from "@lathe/llm";
import { findCredential } from "../credentials/resolve.ts";
import { cloudSign, credentialQuery, credentialSources } from "../run/credentials.ts";
import type { Workspace } from "../run/workspace.ts";
import type { Models } from "./models.ts";

export interface ListedModel {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  /** The maker's id, for "the same model from any provider". */
  readonly canonical?: string;
  readonly contextWindow: number;
  readonly maxOutput?: number;
  /** US dollars per million tokens. */
  readonly cost?: { readonly input: number; readonly output: number };
  readonly thinking: readonly string[];
  readonly vision: boolean;
  readonly tools: boolean;
  readonly available: boolean;
  /** Where the credential comes from. */
  readonly credential?: string;
}

export async function listModels(
  workspace: Workspace,
  models: Models,
  pattern: string | undefined,
): Promise<readonly ListedModel[]> {
  const { registry, disabled } = models;
  const { enabledModels } = workspace.settings;
  const expand = (patterns: readonly string[]) => expandModels(registry, patterns).map(({ model }) => model);
  const scope = enabledModels.length === 0 ? undefined : new Set(expand(enabledModels).map(keyOf));
  const wanted = pattern === undefined ? registry.all() : expand([pattern]);
  const shown = wanted.filter(
    (model) => !disabled.includes(model.provider) && (scope === undefined || scope.has(keyOf(model))),
  );
  const credentials = await credentialsOf(workspace, models, [...new Set(shown.map(({ provider }) => provider))]);
  return shown.map((model) => {
    const credential = credentials.get(model.provider);
    const canonical = registry.canonicalId(model);
    return {
      provider: model.provider,
      id: model.id,
      name: model.displayName,
      ...(canonical === undefined ? {} : { canonical }),
      contextWindow: model.contextWindow,
      ...(model.maxOutput === undefined ? {} : { maxOutput: model.maxOutput }),
      ...(model.cost === undefined ? {} : { cost: { input: model.cost.input, output: model.cost.output } }),
      thinking: model.supportsReasoning ? (offeredLevels(model.thinking) ?? ["on"]) : [],
      vision: model.supportsVision,
      tools: model.supportsTools,
      available: registry.isAvailable(model.provider),
      ...(credential === undefined ? {} : { credential }),
    };
  });
}

async function credentialsOf(
  workspace: Workspace,
  models: Models,
  providers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sources = credentialSources(workspace);
  const found = new Map<string, string>();
  for (const provider of providers) {
    const query = credentialQuery(provider, workspace.env, models.configOf(provider));
    const sign = cloudSign(provider, workspace.env);
    const source = (await findCredential(query, sources))?.source ?? (sign && `$${sign}`);
    if (source !== undefined) found.set(provider, source);
  }
  return found;
}

const keyOf = ({ provider, id }: ModelInfo): string => `${provider}/${id}`;
