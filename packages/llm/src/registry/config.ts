// The user's file of providers and models, already parsed into plain values: its types, and where its keys come from.

import type { DiscoveryType } from "../discovery/listings.ts";
import type { ClientDeps } from "../types/adapter.ts";
import type { Api, CacheRetention, ModelCost, OpenAICompat, RequestTransform, ThinkingInfo } from "../types/model.ts";
import type { Some } from "../types/some.ts";

/** What the file may say of a model. */
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

/** A model for each job, chosen together. */
export interface ModelPreset {
  /** It is not used while one of these has no credential. */
  readonly required_providers?: readonly string[] | undefined;
  /** Role to selector; roles that are not here keep the model they have. */
  readonly model_mapping: Readonly<Record<string, string>>;
}

/** Which model a job gets while no profile says otherwise. */
export interface ModelBindings {
  /** Role to selector. */
  readonly modelRoles?: Readonly<Record<string, string>> | undefined;
  /** Type of agent to selector. */
  readonly agentModelOverrides?: Readonly<Record<string, string>> | undefined;
}

/** The user's file of providers and models. */
export interface RegistryConfig {
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly equivalence?:
    | {
        /** `provider/id` to canonical id. */
        readonly overrides?: Readonly<Record<string, string>>;
        readonly exclude?: readonly string[];
      }
    | undefined;
  readonly profiles?: Readonly<Record<string, ModelPreset>> | undefined;
  readonly modelBindings?: ModelBindings | undefined;
}

/** The key that a provider's entry gives: itself, or the name of a variable that is set. */
export function configuredKey({ apiKey, apiKeyEnv }: ProviderConfig, env: ClientDeps["env"]): string | undefined {
  if (apiKey !== undefined && (!isVariableName(apiKey) || env[apiKey])) return apiKey;
  return apiKeyEnv !== undefined && env[apiKeyEnv] ? apiKeyEnv : undefined;
}

/** The variable that a provider's entry names, set or not. */
export function keyVariable({ apiKey, apiKeyEnv }: ProviderConfig): string | undefined {
  return apiKeyEnv ?? (apiKey !== undefined && isVariableName(apiKey) ? apiKey : undefined);
}

/** What looks like a variable name is one: sending it as the key would be no use. */
const isVariableName = (text: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(text);
