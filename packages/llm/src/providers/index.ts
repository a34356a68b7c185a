// Providers: rows of data, adapters made from them, and the set for an environment.

import { findRow, type ProviderRow, providerRows } from "../catalog/provider-rows.ts";
import { anthropicCredentialOf } from "../protocols/anthropic/gateway.ts";
import type { ClientDeps, ProviderAdapter } from "../types/adapter.ts";
import { createProvider } from "./create.ts";
import { fromEnvironment } from "./credentials.ts";

export { type AuthStyle, findRow, type ProviderRow, providerRows } from "../catalog/provider-rows.ts";
export { createProvider } from "./create.ts";
export {
  type ApiKey,
  type Credential,
  type CredentialLookup,
  type CredentialSources,
  resolveCredential,
} from "./credentials.ts";
export type { ProviderOptions } from "./options.ts";

/**
 * Adapters for every key in the environment: openai, anthropic, gemini, then the others in the order of the rows, then
 * those in `include`.
 */
export function providersFromEnv(
  env: ClientDeps["env"],
  deps: ClientDeps,
  options: { readonly include?: readonly string[] | undefined } = {},
): Record<string, ProviderAdapter> {
  const within = { ...deps, env };
  const included = (options.include ?? []).map((id) => findRow(id)?.id ?? id);
  const ids = providerRows.filter((row) => included.includes(row.id) || hasOwnKey(row, env)).map(({ id }) => id);
  const unknown = included.filter((id) => !ids.includes(id));
  return Object.fromEntries([...ids, ...unknown].map((id) => [id, createProvider(id, { deps: within })]));
}

/** True if a key is set that belongs to this provider only. */
export function hasOwnKey(row: ProviderRow, env: ClientDeps["env"]): boolean {
  if (row.explicitOnly || row.unsupported !== undefined) return false;
  if (row.gateway === "anthropic") return anthropicCredentialOf(env) !== undefined;
  // Without its host or project it cannot be registered; requesting it by name then says what is missing.
  if (row.needsEnv?.some((group) => !group.some((variable) => env[variable]))) return false;
  return fromEnvironment(env, row.keyEnv) !== undefined;
}
