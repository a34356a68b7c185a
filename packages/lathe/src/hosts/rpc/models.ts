// The models a host can choose from: those with a credential, or those that the user limited the choice to.

import { expandModels, type ModelInfo } from "@lathe/llm";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { ModelChoice } from "../../models/connect.ts";
import { commaList } from "../../platform/options/values.ts";
import type { ModelRow } from "./commands.ts";

export class ModelList {
  readonly #workspace: () => SessionWorkspace;
  readonly #scope: readonly string[] | undefined;

  /** `scope` is the value of --models; without it the setting is used. */
  constructor(workspace: () => SessionWorkspace, scope: string | undefined) {
    this.#workspace = workspace;
    this.#scope = scope === undefined ? undefined : commaList(scope);
  }

  get #patterns(): readonly string[] {
    return this.#scope ?? this.#workspace().settings.enabledModels;
  }

  get isScoped(): boolean {
    return this.#patterns.length > 0;
  }

  /** Lists the usable models, always including the one in use. */
  async list(current: ModelChoice): Promise<ModelRow[]> {
    const { registry } = await this.#workspace().models();
    const models = this.isScoped
      ? expandModels(registry, this.#patterns).map(({ model }) => model)
      : registry.available();
    // The provider in use can evidently be reached, wherever its key came from.
    const usable = (provider: string): boolean => provider === current.provider || registry.isAvailable(provider);
    const rows = models.filter(({ provider }) => usable(provider)).map(modelRowOf);
    const isThere = rows.some(({ provider, id }) => provider === current.provider && id === current.id);
    return isThere ? rows : [rowOfChoice(current), ...rows];
  }
}

export function rowOfChoice({ provider, id, info }: ModelChoice): ModelRow {
  return info ? modelRowOf(info) : { provider, id, name: id, contextWindow: 0, reasoning: false };
}

export function modelRowOf({
  provider,
  id,
  displayName,
  contextWindow,
  maxOutput,
  supportsReasoning,
  cost,
}: ModelInfo): ModelRow {
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
