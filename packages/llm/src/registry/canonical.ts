// "The same model from any provider": every concrete model has a canonical id, the one that its maker gave it. Grouping
// is conservative on purpose: uncertain models are not merged.

import type { Catalog } from "../catalog/index.ts";
import type { ModelInfo } from "../types/model.ts";
import type { RegistryConfig } from "./config.ts";

/** Providers whose ids are official. */
const makers = ["anthropic", "openai", "gemini", "xai", "deepseek", "mistral", "zai", "moonshot", "minimax", "xiaomi"];

export interface Canonical {
  /** Undefined for a model that is excluded from grouping. */
  idOf(model: Pick<ModelInfo, "provider" | "id">): string | undefined;
}

export function createCanonical(catalog: Catalog, equivalence: RegistryConfig["equivalence"] = {}): Canonical {
  const overrides = equivalence.overrides ?? {};
  const excluded = new Set(equivalence.exclude ?? []);
  let known: ReadonlyMap<string, string> | undefined;
  const official = (id: string): string | undefined => {
    known ??= officialIds(catalog);
    return known.get(id);
  };
  return {
    idOf({ provider, id }) {
      const selector = `${provider}/${id}`;
      if (excluded.has(selector)) return undefined;
      const override = overrides[selector];
      if (override !== undefined) return override;
      for (const form of forms(id)) {
        const found = official(form);
        if (found !== undefined) return found;
      }
      return id;
    },
  };
}

/** Maps every official id and alias to its canonical id. The first maker wins, and an id wins over an alias. */
function officialIds(catalog: Catalog): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const add = (name: string, id: string): void => {
    if (!ids.has(name)) ids.set(name, id);
  };
  for (const maker of makers) {
    const models = catalog.list(maker);
    for (const { id } of models) add(id, id);
    for (const { id, aliases } of models) for (const alias of aliases) add(alias, id);
  }
  return ids;
}

/**
 * The id, then without what gateways and clouds add: a prefix in front, dashes for dots, a cloud's version at the end.
 */
function* forms(id: string): Generator<string> {
  yield id;
  const bare = id.slice(id.lastIndexOf("/") + 1);
  const cloud = bare.replace(/^(?:[a-z-]+\.)?anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "");
  for (const form of new Set([bare, cloud])) {
    yield form;
    yield form.replace(/(\d)\.(\d)/g, "$1-$2");
    yield form.replace(/(\d)-(\d)(?!\d)/g, "$1.$2");
  }
}
