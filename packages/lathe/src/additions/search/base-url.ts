// The address of an engine: one that the user configured for searches, that of its vendor's models, or its own.

import { findRow } from "@lathe/llm/providers";
import type { SearchEngineRow } from "../../config/credentials/search-engines.ts";
import { isWebAddress } from "./engine.ts";

interface NamedAddresses {
  /** The user's own variables: a project must not set addresses. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The address in SearXNG's setting. */
  readonly endpoint: string;
  /** A provider's address from models.yml or an option. */
  readonly configuredUrl: (account: string) => string | undefined;
}

/** Undefined if the user has configured no address. */
export function baseUrlOf(
  row: SearchEngineRow,
  { env, endpoint, configuredUrl: configured }: NamedAddresses,
): { readonly baseUrl: string; readonly isOwnUrl: boolean; readonly problem?: string } | undefined {
  const inEnv = (names: readonly string[]): string | undefined =>
    names.map((name) => env[name]?.trim()).find((value) => value);
  const own =
    (row.id === "searxng" && endpoint !== "" ? endpoint : undefined) ??
    inEnv([`${row.id.toUpperCase()}_SEARCH_BASE_URL`, ...(row.baseUrlEnv ?? [])]) ??
    // An engine that is a model uses the address of its vendor's other models.
    (row.model === undefined ? undefined : modelBaseUrl(row.accounts?.[0] ?? row.id, env, configured, inEnv));
  const baseUrl = (own ?? row.baseUrl)?.replace(/\/+$/, "");
  if (baseUrl === undefined) return undefined;
  const place = { baseUrl, isOwnUrl: own !== undefined };
  if (isWebAddress(baseUrl)) return place;
  // The part before the @ may be a password.
  const shown = baseUrl.replace(/^.*@/s, "…@");
  return { ...place, problem: `The address of ${row.name} is not one of http or https: ${shown}` };
}

function modelBaseUrl(
  account: string,
  env: NamedAddresses["env"],
  configuredUrl: NamedAddresses["configuredUrl"],
  inEnv: (names: readonly string[]) => string | undefined,
): string | undefined {
  const isFoundry = account === "anthropic" && /^(1|true|yes|on)$/i.test(env["CLAUDE_CODE_USE_FOUNDRY"]?.trim() ?? "");
  const url = configuredUrl(account) ?? inEnv(isFoundry ? ["FOUNDRY_BASE_URL"] : (findRow(account)?.baseUrlEnv ?? []));
  // Engines add the API version themselves, unless the usual address contains it.
  return account === "openai" ? url : url?.replace(/\/v1(?:beta)?\/*$/, "");
}
