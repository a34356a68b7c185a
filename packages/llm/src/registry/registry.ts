// All models that a user can name: the catalog, extended and changed by the user's file and by what local servers
// offer. Immutable; a refresh makes a new one.

import { assumedModel, unknownModel } from "../catalog/assumed.ts";
import { builtinCatalog, type Catalog } from "../catalog/index.ts";
import { findRow } from "../catalog/provider-rows.ts";
import { type DiscoveryType, discoveryTypes } from "../discovery/index.ts";
import { mergeCompat } from "../protocols/openai-chat/compat.ts";
import { hasOwnKey } from "../providers/index.ts";
import type { ProviderOptions } from "../providers/options.ts";
import { mergeTransforms } from "../providers/transform.ts";
import type { ClientDeps } from "../types/adapter.ts";
import type { JsonValue } from "../types/json.ts";
import type { ModelInfo, ThinkingInfo } from "../types/model.ts";
import { withoutUndefined } from "../types/some.ts";
import { type Canonical, createCanonical } from "./canonical.ts";
import { checkRegistryConfig } from "./check-config.ts";
import {
  type CustomModel,
  configuredKey,
  type ModelFields,
  type ProviderConfig,
  type RegistryConfig,
} from "./config.ts";

/** The options of a registry. */
export interface RegistryOptions {
  readonly env: ClientDeps["env"];
  /** The parsed user file. An invalid one is ignored; `problems` says why. */
  readonly config?: JsonValue | undefined;
  readonly catalog?: Catalog | undefined;
  /** Models that local servers reported. */
  readonly discovered?: readonly ModelInfo[] | undefined;
  /** True if the host holds a credential for this provider. */
  readonly hasCredential?: ((provider: string) => boolean) | undefined;
  readonly providerOrder?: readonly string[] | undefined;
  readonly disabledProviders?: readonly string[] | undefined;
}

/** A provider whose server can be asked for its models. */
export interface Discovery {
  readonly provider: string;
  readonly type: DiscoveryType;
  readonly baseUrl?: string | undefined;
}

/**
 * All models that a user can name: the catalog, changed and extended by configuration and by what local servers offer.
 */
export class Registry {
  /** What is wrong with the user's file, one line per problem. */
  readonly problems: readonly string[];
  readonly #options: RegistryOptions;
  readonly #config: RegistryConfig;
  readonly #catalog: Catalog;
  readonly #canonical: Canonical;
  #all: readonly ModelInfo[] | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    // Most users have no file, so the schemas to check it are made only if there is one.
    const isEmpty = Object.keys(options.config ?? {}).length === 0;
    this.problems =
      options.config === undefined || isEmpty ? [] : checkRegistryConfig(options.config).map(({ message }) => message);
    this.#config = this.problems.length > 0 ? {} : ((options.config ?? {}) as RegistryConfig);
    this.#catalog = options.catalog ?? builtinCatalog;
    this.#canonical = createCanonical(this.#catalog, this.#config.equivalence);
  }

  get config(): RegistryConfig {
    return this.#config;
  }

  withDiscovered(discovered: readonly ModelInfo[]): Registry {
    return new Registry({ ...this.#options, discovered });
  }

  /** Looks up one model without building the whole list. */
  get(provider: string, id: string): ModelInfo | undefined {
    const name = findRow(provider)?.id ?? provider;
    const config = this.#provider(name);
    const discovered = this.#options.discovered?.find((model) => model.provider === name && model.id === id);
    const custom = config?.models?.find((model) => model.id === id);
    const base = discovered ?? (custom && config ? customModel(name, config, custom) : this.#catalog.get(name, id));
    return base && this.#applyOverrides(base);
  }

  /** Built-in models, then the file's own (which replace equal ids), then discovered ones, each with its overrides. */
  all(): readonly ModelInfo[] {
    this.#all ??= this.#build();
    return this.#all;
  }

  /** Models that can be called now. */
  available(): readonly ModelInfo[] {
    const usable = new Map<string, boolean>();
    return this.all().filter(({ provider }) => {
      if (!usable.has(provider)) usable.set(provider, this.isAvailable(provider));
      return usable.get(provider);
    });
  }

  isAvailable(provider: string): boolean {
    const { env, disabledProviders = [], hasCredential } = this.#options;
    if (disabledProviders.includes(provider)) return false;
    const row = findRow(provider);
    if (row?.unsupported !== undefined) return false;
    const config = this.#provider(provider);
    if (config?.auth === "none" || row?.keyless) return true;
    if (config !== undefined && configuredKey(config, env) !== undefined) return true;
    return hasCredential?.(provider) === true || (row !== undefined && hasOwnKey({ ...row, explicitOnly: false }, env));
  }

  /** Whether requests can be made under this name at all. */
  knows(provider: string): boolean {
    return this.#provider(provider) !== undefined || findRow(provider) !== undefined;
  }

  canonicalId(model: Pick<ModelInfo, "provider" | "id">): string | undefined {
    return this.#canonical.idOf(model);
  }

  /** Every concrete model of a canonical id, the preferred one first. */
  variants(canonical: string): readonly ModelInfo[] {
    return this.preferredModels(this.all().filter((model) => this.canonicalId(model) === canonical));
  }

  /** Callable models first, then by the user's provider order, then as listed. Skips disabled providers. */
  preferredModels(models: readonly ModelInfo[]): readonly ModelInfo[] {
    const { providerOrder = [], disabledProviders = [] } = this.#options;
    const rank = ({ provider }: ModelInfo) => {
      const place = providerOrder.indexOf(provider);
      return (this.isAvailable(provider) ? 0 : 1000) + (place < 0 ? providerOrder.length : place);
    };
    return models
      .filter(({ provider }) => !disabledProviders.includes(provider))
      .map((model, index) => ({ model, index, rank: rank(model) }))
      .sort((a, b) => a.rank - b.rank || a.index - b.index)
      .map(({ model }) => model);
  }

  /** Describes an unlisted model of a known provider. */
  assume(provider: string, id: string): ModelInfo {
    const name = findRow(provider)?.id ?? provider;
    const api = this.#provider(name)?.api ?? findRow(name)?.api;
    const model = assumedModel(this.#catalog, name, id, api);
    return this.#applyOverrides(api === undefined ? model : { ...model, api });
  }

  /** The effort that the user's file sets for a model; used if no caller names one. */
  configuredLevel(provider: string, id: string): string | undefined {
    const name = findRow(provider)?.id ?? provider;
    const { models = [], modelOverrides = {} } = this.#provider(name) ?? {};
    const override = Object.hasOwn(modelOverrides, id) ? modelOverrides[id]?.thinking?.defaultLevel : undefined;
    return override ?? models.find((model) => model.id === id)?.thinking?.defaultLevel;
  }

  /**
   * Where an overflowing conversation can continue: the named target, otherwise the next larger window at the same
   * provider.
   */
  promotionTarget(model: ModelInfo): ModelInfo | undefined {
    const named = model.contextPromotionTarget;
    if (named !== undefined) {
      const slash = named.indexOf("/");
      const target =
        (slash > 0 ? this.get(named.slice(0, slash), named.slice(slash + 1)) : undefined) ??
        this.get(model.provider, named);
      if (target) return this.isAvailable(target.provider) ? target : undefined;
    }
    if (!this.isAvailable(model.provider)) return undefined;
    return this.all()
      .filter(
        ({ provider, api, contextWindow }) =>
          provider === model.provider && api === model.api && contextWindow > model.contextWindow,
      )
      .reduce<ModelInfo | undefined>(
        (best, next) => (best && best.contextWindow <= next.contextWindow ? best : next),
        undefined,
      );
  }

  /**
   * Servers to ask for their models: the implicit local ones, unless the file configures them elsewhere, and the
   * configured ones.
   */
  discoveries(): readonly Discovery[] {
    const { disabledProviders = [] } = this.#options;
    const configured = Object.entries(this.#config.providers ?? {});
    const implicit = discoveryTypes
      .filter((type) => !configured.some(([id, entry]) => id === type && isPlaced(entry)))
      .map((type): Discovery => ({ provider: type, type }));
    // Many programs use its port, so we ask it only if the user has named it.
    if (this.#options.env?.["VLLM_BASE_URL"] && !configured.some(([id, entry]) => id === "vllm" && isPlaced(entry)))
      implicit.push({ provider: "vllm", type: "openai-compatible" });
    const explicit = configured.flatMap(([provider, { discovery, baseUrl }]) =>
      discovery ? [{ provider, type: discovery.type, ...(baseUrl === undefined ? {} : { baseUrl }) }] : [],
    );
    return [...implicit, ...explicit].filter(({ provider }) => !disabledProviders.includes(provider));
  }

  /**
   * The options that `createProvider(model.provider, …)` needs so that this model's requests go where the file says.
   */
  connection(model: ModelInfo): ProviderOptions {
    const config = this.#provider(model.provider) ?? {};
    const { baseUrl, headers, authHeader, auth, disableStrictTools, cacheRetention, compat, requestTransform } = config;
    const key = configuredKey(config, this.#options.env);
    const rowApi = findRow(model.provider)?.api;
    const api = model.api ?? config.api;
    return {
      ...(api === undefined || api === rowApi ? {} : { api }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(key === undefined ? {} : { configuredKey: key }),
      ...(headers === undefined ? {} : { defaultHeaders: headers }),
      ...(auth === "none" ? { auth: "none" } : authHeader === true ? { auth: "bearer" } : {}),
      ...(disableStrictTools === undefined ? {} : { disableStrictTools }),
      ...(cacheRetention === undefined ? {} : { cacheRetention }),
      ...(compat === undefined ? {} : { compat }),
      ...(requestTransform === undefined ? {} : { requestTransform }),
      model: (id) => this.get(model.provider, id),
    };
  }

  #provider(id: string): ProviderConfig | undefined {
    const providers = this.#config.providers;
    return providers && Object.hasOwn(providers, id) ? providers[id] : undefined;
  }

  #build(): readonly ModelInfo[] {
    const models = new Map<string, ModelInfo>();
    const add = (model: ModelInfo) => models.set(`${model.provider}/${model.id}`, this.#applyOverrides(model));
    for (const model of this.#catalog.list()) add(model);
    for (const [id, config] of Object.entries(this.#config.providers ?? {})) {
      for (const model of config.models ?? []) add(customModel(id, config, model));
    }
    for (const model of this.#options.discovered ?? []) add(model);
    return [...models.values()];
  }

  #applyOverrides(model: ModelInfo): ModelInfo {
    const config = this.#provider(model.provider);
    const fields = config?.modelOverrides?.[model.id];
    const own = fields ? withFields(model, fields) : model;
    const cacheRetention = own.cacheRetention ?? config?.cacheRetention;
    return cacheRetention === own.cacheRetention ? own : { ...own, cacheRetention };
  }
}

/** Headers and overrides alone do not locate a server. */
function isPlaced({ baseUrl, models, discovery }: ProviderConfig): boolean {
  return baseUrl !== undefined || models !== undefined || discovery !== undefined;
}

function customModel(provider: string, config: ProviderConfig, fields: CustomModel): ModelInfo {
  const api = fields.api ?? config.api;
  const base: ModelInfo = {
    ...unknownModel(fields.id, provider),
    ...(api === undefined ? {} : { api }),
    supportsVision: false,
    input: ["text"],
  };
  return withFields(base, fields);
}

function withFields(model: ModelInfo, fields: ModelFields): ModelInfo {
  const { name, reasoning, input, cost, maxTokens, headers, thinking, compat, requestTransform, ...rest } = fields;
  const { id: _, ...plain } = rest as typeof rest & { id?: string };
  const merged = cost && {
    ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...model.cost,
    ...withoutUndefined(cost),
  };
  const transform = requestTransform && mergeTransforms(model.requestTransform, requestTransform);
  return {
    ...model,
    ...withoutUndefined(plain),
    ...(name === undefined ? {} : { displayName: name }),
    ...(reasoning === undefined ? {} : { supportsReasoning: reasoning }),
    ...(input === undefined ? {} : { input, supportsVision: input.includes("image") }),
    ...(merged === undefined
      ? {}
      : { cost: merged, inputCostPerMillion: merged.input, outputCostPerMillion: merged.output }),
    ...(maxTokens === undefined ? {} : { maxOutput: maxTokens }),
    ...(headers === undefined ? {} : { headers: { ...model.headers, ...headers } }),
    ...(thinking === undefined ? {} : { thinking: thinkingOf(model, thinking) }),
    ...(compat === undefined ? {} : { compat: mergeCompat(model.compat, compat) }),
    ...(transform === undefined ? {} : { requestTransform: transform }),
  };
}

/** Levels in the file replace the known ones; the mode stays. */
function thinkingOf({ thinking }: ModelInfo, fields: NonNullable<ModelFields["thinking"]>): ThinkingInfo {
  const { levels, minLevel, maxLevel, ...rest } = thinking ?? {};
  const known = fields.levels || fields.minLevel || fields.maxLevel ? {} : { levels, minLevel, maxLevel };
  return { mode: "effort", ...rest, ...withoutUndefined(known), ...withoutUndefined(fields) };
}
