// What is known about models, offline: lookups in lines of text, each parsed when it is needed. Advisory only: an id
// that is missing here still works under a known provider.

import { isJsonObject, type JsonObject } from "../types/json.ts";
import type { ModelInfo } from "../types/model.ts";
import { own } from "../types/own.ts";
import { gateways } from "./data/gateways.ts";
import { hosts } from "./data/hosts.ts";
import { vendors } from "./data/vendors.ts";
import { type CatalogRow, modelOf, rowsFromModelsDev } from "./row.ts";

/** An ability that a lookup can require. */
export type Capability = "reasoning" | "vision" | "tools";

/** Models by provider and id. */
export interface Catalog {
  readonly providers: readonly string[];
  /** Finds a model by id or alias; a dated or regional form finds its base. */
  get(provider: string, id: string): ModelInfo | undefined;
  /** Finds a model by id or alias at any provider, makers before hosts. */
  find(idOrAlias: string): ModelInfo | undefined;
  list(provider?: string): readonly ModelInfo[];
  latest(provider: string, capability?: Capability): ModelInfo | undefined;
}

/**
 * Lines of JSON by provider, in order of preference. As a function, a provider that is never looked up costs nothing.
 */
type Lines = Readonly<Record<string, string | (() => string)>>;

/** Providers that serve another provider's models under the same ids. */
const sameModels: Readonly<Record<string, string>> = {
  "azure-openai": "openai",
  "google-vertex": "gemini",
  "openai-codex": "openai",
  "xai-oauth": "xai",
  "wafer-serverless": "wafer-pass",
  firepass: "fireworks",
  google: "gemini",
};

export function createCatalog(lines: Lines): Catalog {
  return catalogOf([() => lines]);
}

/** Makes a catalog from groups of providers. A later group is loaded only if the earlier ones lack the provider. */
function catalogOf(groups: readonly (() => Lines)[]): Catalog {
  const linesOf = (provider: string): Lines[string] | undefined => {
    for (const group of groups) {
      const found = own(group(), provider);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const catalogLines = (provider: string): string => {
    const text = linesOf(provider) ?? linesOf(own(sameModels, provider) ?? "") ?? "";
    return typeof text === "string" ? text : text();
  };
  const providers = (): string[] => groups.flatMap((group) => Object.keys(group()));
  const list = (provider: string): ModelInfo[] =>
    catalogLines(provider)
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [modelOf(provider, JSON.parse(line) as CatalogRow)]));
  // The same few models are looked up again and again.
  const found = new Map<string, ModelInfo>();
  const get = (provider: string, id: string): ModelInfo | undefined => {
    const key = `${provider}/${id}`;
    const known = found.get(key);
    if (known) return known;
    const text = catalogLines(provider);
    for (const candidate of candidates(id)) {
      const row = findLine(text, candidate);
      if (!row) continue;
      const model = modelOf(provider, row);
      found.set(key, model);
      return model;
    }
    return undefined;
  };
  return {
    get providers() {
      return providers();
    },
    get,
    find(idOrAlias) {
      for (const provider of providers()) {
        const found = findLine(catalogLines(provider), idOrAlias);
        if (found) return modelOf(provider, found);
      }
      return undefined;
    },
    list: (provider) => (provider === undefined ? providers().flatMap(list) : list(provider)),
    latest(provider, capability) {
      const able = list(provider).filter((model) => capability === undefined || has(model, capability));
      return able.reduce<ModelInfo | undefined>(
        (best, model) => (best && (best.releaseDate ?? "") >= (model.releaseDate ?? "") ? best : model),
        undefined,
      );
    },
  };
}

/** The built-in models of this package. */
export const builtinCatalog: Catalog = catalogOf([() => vendors, () => hosts, () => gateways]);

/** Finds a model by its id or an alias, at any provider. */
export function getModelInfo(idOrAlias: string): ModelInfo | undefined {
  return builtinCatalog.find(idOrAlias);
}

/** All known models, or those of one provider. */
export function listModels(provider?: string): readonly ModelInfo[] {
  return builtinCatalog.list(provider);
}

/** The newest model of a provider that has the required ability. */
export function getLatestModel(provider: string, capability?: Capability): ModelInfo | undefined {
  return builtinCatalog.latest(provider, capability);
}

/**
 * A catalog in which the providers of a models.dev document come first. Facts that only our own data has (aliases,
 * flags, dialects) are kept for the ids that both have.
 */
export function refreshCatalog(document: JsonObject, base: Catalog = builtinCatalog): Catalog {
  const fresh: Record<string, string> = {};
  for (const [name, entry] of Object.entries(document)) {
    const models = isJsonObject(entry) ? entry["models"] : undefined;
    if (!isJsonObject(models)) continue;
    const provider = own(foreignNames, name) ?? name;
    fresh[provider] = rowsFromModelsDev(models)
      .map((row) => JSON.stringify(withOwn(row, base.get(provider, row.id))))
      .join("\n");
  }
  const newer = createCatalog(fresh);
  return {
    providers: [...new Set([...base.providers, ...newer.providers])],
    get: (provider, id) => newer.get(provider, id) ?? base.get(provider, id),
    find: (id) => newer.find(id) ?? base.find(id),
    list(provider) {
      const models = newer.list(provider);
      const known = new Set(models.map((model) => `${model.provider}/${model.id}`));
      return [...models, ...base.list(provider).filter((model) => !known.has(`${model.provider}/${model.id}`))];
    },
    latest: (provider, capability) => newer.latest(provider, capability) ?? base.latest(provider, capability),
  };
}

/** Provider ids for the names that models.dev uses instead. */
const foreignNames: Readonly<Record<string, string>> = {
  google: "gemini",
  azure: "azure-openai",
  moonshotai: "moonshot",
  togetherai: "together",
  "fireworks-ai": "fireworks",
  "zhipuai-coding-plan": "zhipu-coding-plan",
  "kimi-for-coding": "kimi-code",
  "minimax-coding-plan": "minimax-code",
  "minimax-cn-coding-plan": "minimax-code-cn",
  opencode: "opencode-zen",
  "nano-gpt": "nanogpt",
  vercel: "vercel-ai-gateway",
  "wafer.ai": "wafer-pass",
};

function withOwn(row: CatalogRow, known: ModelInfo | undefined): CatalogRow {
  if (!known || known.id !== row.id) return row;
  const flags = [
    ...(row.flags === undefined ? [] : [row.flags]),
    ...(known.supportsLongCacheRetention ? ["longCache"] : []),
    ...(known.supportsEagerToolInputStreaming ? ["eagerTools"] : []),
    ...(known.supportsCachePoint ? ["cachePoint"] : []),
    ...(known.refusesForcedTools ? ["noForcedTools"] : []),
    ...(known.sampling === undefined ? [] : [known.sampling === "never" ? "noSampling" : "samplingUnlessReasoning"]),
  ].join(" ");
  const { thinking } = known;
  return {
    ...row,
    ...(known.aliases.length === 0 ? {} : { aliases: known.aliases }),
    ...(flags === "" ? {} : { flags }),
    ...(known.compat === undefined ? {} : { compat: known.compat }),
    ...(known.contextPromotionTarget === undefined ? {} : { promotion: known.contextPromotionTarget }),
    // models.dev does not say how a vendor takes its levels.
    ...(thinking === undefined
      ? {}
      : {
          thinking: [thinking.mode, ...(thinking.levels ?? []), ...(thinking.display ? ["+summarized"] : [])].join(" "),
        }),
  };
}

/**
 * The id itself, then without a date at its end, then without a leading cloud region, then the base of a tuned model.
 */
function* candidates(id: string): Generator<string> {
  yield id;
  const undated = id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  if (undated !== id) yield undated;
  const local = id.replace(/^(us|eu|au|jp|apac|global|us-gov)\./, "");
  if (local !== id) yield local;
  // A caller's tuned model is based on the vendor's: ft:gpt-4.1:team::id.
  const tuned = /^ft:([^:]+)/.exec(id)?.[1];
  if (tuned !== undefined) yield* candidates(tuned);
}

/** Searches the text first, so that only a line that mentions the id is parsed. */
function findLine(text: string, id: string): CatalogRow | undefined {
  const quoted = JSON.stringify(id);
  for (const needle of [`{"id":${quoted}`, quoted]) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      const start = text.lastIndexOf("\n", at) + 1;
      const end = text.indexOf("\n", at);
      const row = JSON.parse(text.slice(start, end < 0 ? undefined : end)) as CatalogRow;
      if (row.id === id || row.aliases?.includes(id)) return row;
    }
  }
  return undefined;
}

function has(model: ModelInfo, capability: Capability): boolean {
  if (capability === "reasoning") return model.supportsReasoning;
  return capability === "vision" ? model.supportsVision : model.supportsTools;
}
