// Finds out which models a local server offers. Runs in the background with a short deadline; a missing server gives an
// empty answer, never an error.

import { findRow, type ProviderRow } from "../catalog/provider-rows.ts";
import { serverUrl } from "../providers/server-url.ts";
import type { ClientDeps } from "../types/adapter.ts";
import type { ModelInfo } from "../types/model.ts";
import { type DiscoveryType, listings } from "./listings.ts";
import { type Ask, jsonOverHttp } from "./request.ts";

export type { DiscoveryType } from "./listings.ts";

/** Which server to ask for its models, and for how long. */
export interface DiscoverOptions {
  readonly deps: ClientDeps;
  /** Provider id under which the models are listed; the type when absent. */
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Limit for the whole exchange with one server. */
  readonly timeoutMs?: number | undefined;
}

/** A model server on this machine and the models it offers. */
export interface LocalServer {
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly ModelInfo[];
}

export const discoveryTypes: readonly DiscoveryType[] = ["ollama", "llama.cpp", "lm-studio"];

/** The provider row for a kind of server. */
const rowOf = (type: DiscoveryType): ProviderRow => findRow(type === "openai-compatible" ? "vllm" : type)!;

/** The server's models, or undefined if it does not answer in time. */
export async function discover(type: DiscoveryType, options: DiscoverOptions): Promise<LocalServer | undefined> {
  const { deps } = options;
  const row = rowOf(type);
  const provider = options.provider ?? row.id;
  const baseUrl = localBaseUrl(type, deps.env, options.baseUrl);
  // The usual server's key variable does not apply to a server that was configured at another address.
  const names = provider === row.id ? row.keyEnv : [];
  const key = options.apiKey ?? names.map((name) => deps.env[name]).find(Boolean);
  const controller = new AbortController();
  const timer = deps.setTimer(() => controller.abort(), options.timeoutMs ?? 1000);
  const ask: Ask = jsonOverHttp(deps.fetch, controller.signal, key);
  try {
    const found = await listings[type](baseUrl, ask);
    if (found === undefined) return undefined;
    const models = found.map((model) => ({ ...model, provider, api: row.api }));
    return { provider, baseUrl, models: applyBudget(type, deps.env, models) };
  } finally {
    timer.cancel();
  }
}

/** Asks all implicit servers at once, except those that the user has configured. */
export async function discoverLocal(
  options: Omit<DiscoverOptions, "provider" | "baseUrl" | "apiKey"> & { readonly except?: readonly string[] },
): Promise<readonly LocalServer[]> {
  const types = discoveryTypes.filter((type) => !options.except?.includes(type));
  const found = await Promise.all(types.map((type) => discover(type, options)));
  return found.filter((server) => server !== undefined);
}

/** Taken from the option, the environment, or the usual port. A bare host and port is completed. */
export function localBaseUrl(type: DiscoveryType, env: ClientDeps["env"], option?: string): string {
  const row = rowOf(type);
  const base = option ?? row.baseUrlEnv?.map((name) => env[name]).find(Boolean) ?? row.baseUrl!;
  return serverUrl(base, row.baseUrl);
}

/**
 * Ollama's own variable says how much of a model's window the server uses. We apply it to our budget, not to requests.
 */
function applyBudget(type: DiscoveryType, env: ClientDeps["env"], models: ModelInfo[]): readonly ModelInfo[] {
  const length = Number(env["OLLAMA_CONTEXT_LENGTH"]);
  if (type !== "ollama" || !Number.isInteger(length) || length <= 0) return models;
  return models.map((model) => ({ ...model, contextWindow: length }));
}
