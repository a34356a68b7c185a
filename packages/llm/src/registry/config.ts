// The user's file of providers and models, already parsed into plain values: its types, and where its keys come from.

import type { DiscoveryType } from "../discovery/listings.ts";
import type { ClientDeps } from "../types/adapter.ts";
import type { Api, CacheRetention, ModelCost, OpenAICompat, RequestTransform, ThinkingInfo } from "../types/model.ts";
import type { Some } from "../types/some.ts";

/** What the file may say about a model. */
export interface ModelFields {
  readonly name?: string | undefined;
  readonly api?: Api | undefined;
  readonly reasoning?: boolean | undefined;
  readonly input?: readonly ("text" | "image" | "audio" | "document")[] | undefined;
  readonly cost?: Some<ModelCost> | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly thinking?: Some<ThinkingInfo> | undefined;
  readonly compat?: OpenAICompat | undefined;
  readonly contextPromotionTarget?: string | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly wireModelId?: string | undefined;
}

/** A model that only the user's file knows. */
export interface CustomModel extends ModelFields {
  readonly id: string;
}

/** A provider in the user's file. */
export interface ProviderConfig {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  readonly api?: Api | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly authHeader?: boolean | undefined;
  readonly auth?: "apiKey" | "none" | "oauth" | undefined;
  readonly disableStrictTools?: boolean | undefined;
  readonly cacheRetention?: CacheRetention | undefined;
  readonly discovery?: { readonly type: DiscoveryType } | undefined;
  readonly requestTransform?: RequestTransform | undefined;
  readonly compat?: OpenAICompat | undefined;
  readonly modelOverrides?: Readonly<Record<string, ModelFields>> | undefined;
  readonly models?: readonly CustomModel[] | undefined;
}

/** A model for each role, chosen together. */
export interface ModelPreset {
  /** The preset is not used while one of these has no credential. */
  readonly required_providers?: readonly string[] | undefined;
  /** From role to selector; roles that are missing keep their model. */
  readonly model_mapping: Readonly<Record<string, string>>;
}

/** Which model each role gets unless a profile says otherwise. */
export interface ModelBindings {
  /** From role to selector. */
  readonly modelRoles?: Readonly<Record<string, string>> | undefined;
  /** From type of agent to selector. */
  readonly agentModelOverrides?: Readonly<Record<string, string>> | undefined;
}

/** The user's file of providers and models. */
export interface RegistryConfig {
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly equivalence?:
    | {
        /** From `provider/id` to canonical id. */
        readonly overrides?: Readonly<Record<string, string>>;
        readonly exclude?: readonly string[];
      }
    | undefined;
  readonly profiles?: Readonly<Record<string, ModelPreset>> | undefined;
  readonly modelBindings?: ModelBindings | undefined;
}

/** The key in a provider's entry: the key itself, or the value of the variable that it names. */
export function configuredKey({ apiKey, apiKeyEnv }: ProviderConfig, env: ClientDeps["env"]): string | undefined {
  if (apiKey !== undefined && (!isVariableName(apiKey) || env[apiKey])) return apiKey;
  return apiKeyEnv !== undefined && env[apiKeyEnv] ? apiKeyEnv : undefined;
}

/** The variable that a provider's entry names, whether it is set or not. */
export function keyVariable({ apiKey, apiKeyEnv }: ProviderConfig): string | undefined {
  return apiKeyEnv ?? (apiKey !== undefined && isVariableName(apiKey) ? apiKey : undefined);
}

/** Text that looks like a variable name is one; sending it as the key would be useless. */
const isVariableName = (text: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(text);
