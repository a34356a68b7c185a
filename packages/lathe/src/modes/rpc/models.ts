// The models a host can choose from: what has a credential, or what the user limited the choice to.

import { expandModels, type ModelInfo, Registry } from "@lathe/llm";
import { findRow, providerRows } from "@lathe/llm/providers";
import { commaList } from "../../cli/values.ts";
import { credentialOf, credentialSources } from "../../run/credentials.ts";
import type { ModelChoice } from "../../run/model.ts";
import type { Workspace } from "../../run/workspace.ts";
import type { ModelRow } from "./commands.ts";

export class ModelList {
  readonly #workspace: Workspace;
  readonly #patterns: readonly string[];
  #registry: Promise<Registry> | undefined;

  /** `scope`: value of --models; the setting counts when it is absent. */
  constructor(workspace: Workspace, scope: string | undefined) {
    this.#workspace = workspace;
    this.#patterns = scope === undefined ? workspace.settings.enabledModels : commaList(scope);
  }

  get isScoped(): boolean {
    return this.#patterns.length > 0;
  }

  /** Usable now; the one in use is always among them. */
  async list(current: ModelChoice): Promise<ModelRow[]> {
    this.#registry ??= registryOf(this.#workspace, current.provider);
    const registry = await this.#registry;
    const models = this.isScoped
      ? expandModels(registry, this.#patterns).map(({ model }) => model)
      : registry.available();
    const rows = models.filter(({ provider }) => registry.isAvailable(provider)).map(rowOf);
    const isThere = rows.some(({ provider, id }) => provider === current.provider && id === current.id);
    return isThere ? rows : [rowOfChoice(current), ...rows];
  }
}

export function rowOfChoice({ provider, id, info }: ModelChoice): ModelRow {
  return info ? rowOf(info) : { provider, id, name: id, contextWindow: 0, reasoning: false };
}

function rowOf({ provider, id, displayName, contextWindow, maxOutput, supportsReasoning, cost }: ModelInfo): ModelRow {
  return {
    provider,
    id,
    name: displayName,
    contextWindow,
    reasoning: supportsReasoning,
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** The provider in use has shown that it can be reached, whatever its credential. */
async function registryOf(workspace: Workspace, inUse: string): Promise<Registry> {
  const sources = credentialSources(workspace);
  const usable = new Set([findRow(inUse)?.id]);
  for (const row of providerRows) {
    if (!row.keyless && row.unsupported === undefined && (await credentialOf(row, sources))) usable.add(row.id);
  }
  const { modelProviderOrder, disabledProviders } = workspace.settings;
  return new Registry({
    env: workspace.env,
    hasCredential: (provider) => usable.has(provider),
    providerOrder: modelProviderOrder,
    disabledProviders,
  });
}
