// Where an engine is asked: at an address that the user named for searches, at the one of its models, or at its own.

import { findRow } from "@lathe/llm/providers";
import type { SearchEngineRow } from "../../config/credentials/search-engines.ts";
import { isWebAddress } from "./engine.ts";

interface NamedAddresses {
  /** The user's own: a project has no say. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The setting of SearXNG. */
  readonly endpoint: string;
  /** The address that models.yml or an option has for a provider. */
  readonly configured: (account: string) => string | undefined;
}

/** Undefined: the user has not said where it is. */
export function baseUrlOf(
  row: SearchEngineRow,
  { env, endpoint, configured }: NamedAddresses,
): { readonly baseUrl: string; readonly isOwnUrl: boolean; readonly problem?: string } | undefined {
  const inEnv = (names: readonly string[]): string | undefined =>
    names.map((name) => env[name]?.trim()).find((value) => value);
  const own =
    (row.id === "searxng" && endpoint !== "" ? endpoint : undefined) ??
    inEnv([`${row.id.toUpperCase()}_SEARCH_BASE_URL`, ...(row.baseUrlEnv ?? [])]) ??
    // An engine that is a model is where the other models of its vendor are.
    (row.model === undefined ? undefined : ofModels(row.accounts?.[0] ?? row.id, env, configured, inEnv));
  const baseUrl = (own ?? row.baseUrl)?.replace(/\/+$/, "");
  if (baseUrl === undefined) return undefined;
  const place = { baseUrl, isOwnUrl: own !== undefined };
  if (isWebAddress(baseUrl)) return place;
  // What stands before the @ may be a password.
  const shown = baseUrl.replace(/^.*@/s, "…@");
  return { ...place, problem: `The address of ${row.name} is not one of http or https: ${shown}` };
}

function ofModels(
  account: string,
  env: NamedAddresses["env"],
  configured: NamedAddresses["configured"],
  inEnv: (names: readonly string[]) => string | undefined,
): string | undefined {
  const isFoundry = account === "anthropic" && /^(1|true|yes|on)$/i.test(env["CLAUDE_CODE_USE_FOUNDRY"]?.trim() ?? "");
  const url = configured(account) ?? inEnv(isFoundry ? ["FOUNDRY_BASE_URL"] : (findRow(account)?.baseUrlEnv ?? []));
  // Engines name the version of the API themselves, except where the usual address has it.
  return account === "openai" ? url : url?.replace(/\/v1(?:beta)?\/*$/, "");
}
