// The models that can be selected here: built in, from models.yml, and from local servers. One object per workspace.
// Creating it is cheap; the full list is only built when a selector needs it.

import { existsSync } from "node:fs";
import { similarWords } from "@lathe/agent/contract";
import {
  clampLevel,
  isThinkingLevel,
  type ModelInfo,
  offeredLevels,
  type ProviderAdapter,
  type ProviderConfig,
  Registry,
  type RegistryConfig,
  type Selection,
  selectModel,
  thinkingLevels,
} from "@lathe/llm";
import { findRow, type ProviderOptions, providerRows } from "@lathe/llm/providers";
import { learnModelsFile } from "../config/credentials/known-secrets.ts";
import { usageError } from "../platform/usage/exit.ts";
import { nearest } from "../platform/usage/nearest.ts";
import { cloudsWithCredentials, credentialQuery, credentialSources, type SecretWorkspace } from "./credentials.ts";
import type { ModelsFile } from "./file.ts";
import { LocalFacts, learnedWindow } from "./local/local-facts.ts";
import { PRACTICE, PRACTICE_PROVIDER } from "./practice/name.ts";
import { type ActivePreset, activePreset } from "./presets.ts";
import { chosenForRole, type RoleSources, withoutRoles } from "./roles.ts";

/** The built-in practice model; see ./practice. */
export { PRACTICE, PRACTICE_PROVIDER };

export interface ModelChoice {
  readonly provider: string;
  readonly id: string;
  /** Already limited to what the model supports. */
  readonly effort?: string;
  /** Absent if the id is unknown. */
  readonly info?: ModelInfo;
}

export async function openModels(workspace: SecretWorkspace): Promise<Models> {
  const { models: own } = workspace.paths;
  const older = own.replace(/\.yml$/, ".json");
  if (!existsSync(own) && existsSync(older)) {
    const said = await (await import("../platform/home/import-json.ts")).importJson(older, own);
    workspace.machine.stderr.write(`lathe: ${said}\n`);
  }
  const read = await readConfig(workspace);
  const stored = new Set(await workspace.accounts().providers());
  return new Models(workspace, { ...read, stored });
}

async function readConfig(workspace: SecretWorkspace): Promise<Omit<Known, "stored">> {
  const files = modelsFiles(workspace).filter(({ file }) => existsSync(file));
  if (files.length === 0) return { config: {}, own: {}, problems: [] };
  const read = await (await import("./file.ts")).readModelsFiles(files);
  learnModelsFile(workspace.redactor, read.config);
  return read;
}

function modelsFiles({ paths, project }: SecretWorkspace): readonly ModelsFile[] {
  return [{ file: paths.models, own: true }, ...(project.models ? [{ file: project.models, own: false }] : [])];
}

interface Known {
  readonly config: RegistryConfig;
  /** The configuration without the project's file. */
  readonly own: RegistryConfig;
  readonly problems: readonly string[];
  /** Providers with a stored credential. */
  readonly stored: ReadonlySet<string>;
}

export class Models {
  readonly #workspace: SecretWorkspace;
  readonly #reached = new Set<string>();
  readonly #stored: Set<string>;
  #config: RegistryConfig;
  #own: RegistryConfig;
  /** Providers that extensions have added. */
  #added: Readonly<Record<string, ProviderConfig>> = {};
  readonly #registryOf: (config: RegistryConfig) => Registry;
  #registry: Registry;
  #adapters: Readonly<Record<string, ProviderAdapter>> = {};
  #preset: ActivePreset | undefined;
  #local: LocalFacts | undefined;
  /** Problems with the files, one line each. */
  readonly problems: readonly string[];
  /** Ids of providers that are disabled here. */
  readonly disabled: readonly string[];

  constructor(workspace: SecretWorkspace, known: Known) {
    const { settings, env } = workspace;
    const clouds = cloudsWithCredentials(env);
    const own = (id: string): string => findRow(id)?.id ?? id;
    this.disabled = settings.disabledProviders.map(own);
    this.#workspace = workspace;
    this.#stored = new Set(known.stored);
    this.problems = [...known.problems, ...misspeltProviders(settings.disabledProviders, known.config)];
    this.#config = known.config;
    this.#own = known.own;
    this.#registryOf = (config) =>
      new Registry({
        env,
        config: config as never,
        hasCredential: (provider) =>
          this.#stored.has(provider) || clouds.includes(provider) || this.#reached.has(provider),
        providerOrder: settings.modelProviderOrder.map(own),
        disabledProviders: this.disabled,
      });
    this.#registry = this.#registryOf(known.config);
  }

  /**
   * Adds providers from extensions; those in models.yml take precedence. `adapters` holds code that answers in place of
   * a server.
   */
  addProviders(
    providers: Readonly<Record<string, ProviderConfig>>,
    adapters: Readonly<Record<string, ProviderAdapter>>,
  ): readonly string[] {
    const problems = this.#rebuild(this.#config, providers);
    if (problems.length === 0) this.#adapters = adapters;
    return problems;
  }

  /** Reads a changed models.yml again during the run. Returns what is wrong with it; in that case nothing changes. */
  async reload(): Promise<readonly string[]> {
    const { config, own, problems } = await readConfig(this.#workspace);
    const wrong = problems.length > 0 ? problems : this.#rebuild(config, this.#added);
    if (wrong.length === 0) this.#own = own;
    return wrong;
  }

  #rebuild(config: RegistryConfig, added: Readonly<Record<string, ProviderConfig>>): readonly string[] {
    const registry = this.#registryOf({ ...config, providers: { ...added, ...config.providers } });
    if (registry.problems.length > 0) return registry.problems;
    this.#config = config;
    this.#added = added;
    this.#registry = registry;
    return [];
  }

  /** The adapter of a provider that an extension implements. */
  adapterOf(provider: string): ProviderAdapter | undefined {
    return Object.hasOwn(this.#adapters, provider) ? this.#adapters[provider] : undefined;
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Facts learnt by using the models of local servers. */
  get local(): LocalFacts {
    this.#local ??= new LocalFacts(this.#workspace.paths.cache);
    return this.#local;
  }

  /** The window that the user configured for a model. */
  configuredWindow(provider: string, id: string): number | undefined {
    const config = this.configOf(provider);
    const listed = config?.models?.find((model) => model.id === id)?.contextWindow;
    const overrides = config?.modelOverrides;
    return (overrides && Object.hasOwn(overrides, id) ? overrides[id]?.contextWindow : undefined) ?? listed;
  }

  /** Adds the window we learnt from the model's server, unless the user configured one. */
  #withLearnedWindow(info: ModelInfo): ModelInfo {
    const isLocal = (this.configOf(info.provider)?.discovery ?? findRow(info.provider)?.discovery) !== undefined;
    if (!isLocal || this.configuredWindow(info.provider, info.id) !== undefined) return info;
    const fact = this.local.of(`${info.provider}/${info.id}`);
    const contextWindow = fact && learnedWindow(fact, info.contextWindow);
    return contextWindow === undefined ? info : { ...info, contextWindow };
  }

  /** Called when a credential for this provider was found, even if only for this run. */
  noteCredential(provider: string): void {
    this.#reached.add(provider);
  }

  /** Called when a credential was stored during this run. */
  noteStoredCredential(provider: string): void {
    this.#stored.add(provider);
  }

  /** Called when a credential was deleted; there may still be another one, such as a variable. */
  noteDeletedCredential(provider: string): void {
    this.#stored.delete(provider);
    this.#reached.delete(provider);
  }

  configOf(provider: string): ProviderConfig | undefined {
    const { providers } = this.#registry.config;
    return providers && Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  }

  /**
   * The provider as in the user's own models.yml. A project's file can configure models, but not where searches and
   * images are sent.
   */
  ownConfigOf(provider: string): ProviderConfig | undefined {
    const providers = { ...this.#added, ...this.#own.providers };
    return Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  }

  /** Accepts any form of selector; an unknown one is a usage error that says where to look. */
  choose(selector: string): ModelChoice {
    const { settings } = this.#workspace;
    const text = this.#withoutRoles(selector);
    if (meansPractice(text)) return practiceChoice(text);
    const found = text.endsWith("/")
      ? undefined
      : (findExact(this.#registry, text) ?? selectModel(this.#registry, text));
    if (!found) throw unknownModel(this.#registry, text);
    const { model, match } = found;
    if (match === "assumed") refuseMisspeltEffort(this.#registry, text);
    if (this.disabled.includes(model.provider))
      throw usageError(`The provider ${model.provider} is disabled here. See: lathe config get disabledProviders`);
    const wish =
      found.effort ?? (settings.defaultThinkingLevel || this.#registry.configuredLevel(model.provider, model.id));
    return {
      provider: model.provider,
      id: model.id,
      ...(match === "assumed" ? {} : { info: this.#withLearnedWindow(model) }),
      ...(wish === undefined ? {} : { effort: clampLevel(model.thinking, wish) }),
    };
  }

  /** Like `choose`, but first asks local servers if the selector may mean one of their models. */
  async find(selector: string): Promise<ModelChoice> {
    const text = this.#withoutRoles(selector);
    if (!meansPractice(text) && !findExact(this.#registry, text)) {
      const provider = text.slice(0, Math.max(text.indexOf("/"), 0));
      const servers = this.#registry.discoveries();
      const meant = servers.filter((server) => server.provider === provider);
      // If the provider is not a local server, no server needs to be asked; a bare or partial name may be on any of
      // them.
      if (meant.length > 0) await this.discover({ only: [provider] });
      else if (!this.#registry.knows(provider) && !selectModel(this.#registry, text)) await this.discover();
    }
    return this.choose(selector);
  }

  /** The preset in use. An unknown one is a usage error. */
  get preset(): ActivePreset | undefined {
    const { settings, settingsOrigin } = this.#workspace;
    const name = settings["modelProfile.default"];
    if (this.#preset === undefined && name !== "") {
      const since = settingsOrigin.get("modelProfile.default") === "run" ? "run" : "saved";
      this.#preset = activePreset(this.#registry.config, name, since);
    }
    return this.#preset;
  }

  /** Uses the preset for the rest of this run. */
  set preset(preset: ActivePreset | undefined) {
    this.#preset = preset;
  }

  /** The selector that options, presets or settings assign to a role; "" if none does. */
  chosenFor(role: string): string {
    return chosenForRole(role, this.#roleSources());
  }

  #withoutRoles(selector: string): string {
    return selector.startsWith("lathe/") ? withoutRoles(selector, this.#roleSources()) : selector;
  }

  #roleSources(): RoleSources {
    const { settings, savedModel, settingsOrigin: origin, env } = this.#workspace;
    return {
      settings,
      savedModel,
      origin,
      env,
      bindings: this.#registry.config.modelBindings ?? {},
      preset: this.preset,
    };
  }

  /** Adds the models that local servers offer. */
  async discover(options: { readonly only?: readonly string[]; readonly fresh?: boolean } = {}): Promise<void> {
    const { localModels } = await import("./local-models.ts");
    const { machine, env, paths } = this.#workspace;
    const servers = this.#registry
      .discoveries()
      .filter(({ provider }) => options.only === undefined || options.only.includes(provider));
    const found = await localModels(servers, {
      deps: { ...machine.deps, env },
      cache: paths.cache,
      fresh: options.fresh ?? false,
      keyOf: (provider) => this.#keyOf(provider),
    });
    // A configured server speaks the API in its entry, not the usual one of its kind.
    const models = found.flatMap(({ provider, models: offered }) => {
      const api = this.configOf(provider)?.api;
      return api === undefined ? offered : offered.map((model) => ({ ...model, api }));
    });
    this.#registry = this.#registry.withDiscovered(models);
  }

  /** A missing key is an error of the run, not of the listing. */
  async #keyOf(provider: string): Promise<string | undefined> {
    const { resolveCredential } = await import("../config/credentials/resolve.ts");
    const query = credentialQuery(provider, this.#workspace.env, this.configOf(provider));
    return (await resolveCredential(query, credentialSources(this.#workspace)).catch(() => undefined))?.value;
  }

  /** The options that route this model's requests as models.yml says. Keys are handled with the credentials. */
  connection(choice: ModelChoice): ProviderOptions {
    const registry = this.#registry;
    const known = choice.info ?? registry.assume(choice.provider, choice.id);
    const { configuredKey: _, ...rest } = registry.connection(known);
    if (this.configOf(choice.provider) === undefined) return rest;
    // An override may also apply to an unknown id.
    const { provider } = choice;
    return { ...rest, model: (id) => registry.get(provider, id) ?? registry.assume(provider, id) };
  }
}

export const meansPractice = (selector: string): boolean =>
  selector === PRACTICE_PROVIDER || selector.startsWith(`${PRACTICE_PROVIDER}/`);

/** The practice model has no effort levels: a requested one is ignored. */
function practiceChoice(selector: string): ModelChoice {
  const [, id = "basic"] = /^[^/]+\/([^:]*)/.exec(selector) ?? [];
  if (`${PRACTICE_PROVIDER}/${id}` !== PRACTICE)
    throw usageError(`There is no ${selector}. The practice model is ${PRACTICE}.`);
  return { provider: PRACTICE_PROVIDER, id };
}

/** Finds a known model given as `provider/id[:effort]`, without building the whole list. */
function findExact(registry: Registry, text: string): Selection | undefined {
  const slash = text.indexOf("/");
  if (slash <= 0) return undefined;
  const get = (name: string) => registry.get(name.slice(0, slash), name.slice(slash + 1));
  const whole = get(text);
  if (whole) return { model: whole, match: "exact" };
  const colon = text.lastIndexOf(":");
  const effort = text.slice(colon + 1);
  const model = colon > slash && isThinkingLevel(effort) ? get(text.slice(0, colon)) : undefined;
  return model && { model, match: "exact", effort: clampLevel(model.thinking, effort) };
}

/** A misspelt provider in the setting would not be disabled, and requests would still go to it. */
function misspeltProviders(disabled: readonly string[], { providers = {} }: RegistryConfig): string[] {
  return disabled.flatMap((name) => {
    if (findRow(name) || Object.hasOwn(providers, name)) return [];
    const meant = nearest(name, [...providerRows.map(({ id }) => id), ...Object.keys(providers)]);
    return meant === undefined
      ? []
      : [`disabledProviders names ${name}, which is not a provider. Did you mean ${meant}?`];
  });
}

/** An unknown id is sent as it is, but not a known id followed by a misspelt effort. */
function refuseMisspeltEffort(registry: Registry, text: string): void {
  const colon = text.lastIndexOf(":");
  const base = text.slice(0, Math.max(colon, 0));
  const known = findExact(registry, base)?.model;
  if (!known) return;
  const written = text.slice(colon + 1);
  const level = thinkingLevels.find((one) => one.startsWith(written)) ?? nearest(written, thinkingLevels);
  const problem = `"${text}" does not end with a valid effort.`;
  if (level !== undefined) throw usageError(`${problem} Did you mean ${base}:${level}?`);
  if (hasColonsInIds(registry, known.provider)) return;
  const efforts = offeredLevels(known.thinking) ?? thinkingLevels;
  throw usageError(`${problem} Efforts: ${efforts.join(", ")}.`);
}

/** Local servers and the user's own providers may also put a variant after a colon. */
function hasColonsInIds(registry: Registry, provider: string): boolean {
  if (!findRow(provider) || registry.discoveries().some((server) => server.provider === provider)) return true;
  return registry.all().some((model) => model.provider === provider && model.id.includes(":"));
}

function unknownModel(registry: Registry, text: string): Error {
  const slash = text.indexOf("/");
  const provider = text.slice(0, Math.max(slash, 0));
  if (slash <= 0) return usageError(`Unknown model "${text}". Give it as provider/id, or see: lathe models`);
  if (slash === text.length - 1)
    return usageError(`"${text}" does not name a model. Give provider/id, or see: lathe models ${provider}`);
  const reason = findRow(provider)?.unsupported;
  if (reason !== undefined) return usageError(`The provider ${provider} cannot be used: ${reason}.`);
  if (registry.knows(provider))
    return usageError(`No model of ${provider} matches "${text}". See: lathe models ${provider}`);
  const names = [...providerRows.map(({ id }) => id), ...Object.keys(registry.config.providers ?? {})];
  const guesses = similarWords(provider, names).slice(0, 3).join(", ");
  return usageError(`Unknown provider "${provider}".${guesses && ` Did you mean ${guesses}?`} See: lathe models`);
}
