// Which credential a provider gets: --api-key, stored key, stored OAuth (refreshed), environment, the models file. One
// function, so that requests, `auth status` and `models` can never disagree.

import { freshAccessToken, type OAuthContext } from "./oauth/refresh.ts";
import type { CredentialStore } from "./store.ts";

export interface ResolvedCredential {
  readonly kind: "key" | "bearer" | "none";
  readonly value?: string;
  /** For people: where it came from, never the secret. */
  readonly source: string;
}

export interface CredentialQuery {
  readonly provider: string;
  /** Variables of the provider, first wins. */
  readonly envNames: readonly string[];
  /** Variables among them that hold a token to send as bearer. */
  readonly bearerEnvNames?: readonly string[];
  /** `apiKey` of the models file: the name of a variable, else the key itself. */
  readonly fileKey?: string;
  readonly keyless?: boolean;
}

export interface CredentialSources {
  /** --api-key, for the provider of the chosen model only. */
  readonly runKey?: { readonly provider: string; readonly key: string };
  readonly store: CredentialStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly oauth: OAuthContext;
}

export async function resolveCredential(
  query: CredentialQuery,
  sources: CredentialSources,
): Promise<ResolvedCredential | undefined> {
  const { runKey, store, env } = sources;
  if (runKey?.provider === query.provider) return { kind: "key", value: runKey.key, source: "--api-key" };
  const stored = await store.get(query.provider);
  if (stored?.type === "api_key") return { kind: "key", value: stored.key, source: "stored key" };
  if (stored?.type === "oauth") {
    const value = await freshAccessToken(query.provider, store, sources.oauth);
    return { kind: "bearer", value, source: stored.account ? `signed in as ${stored.account}` : "signed in" };
  }
  for (const name of query.envNames) {
    const value = env[name];
    if (value) return { kind: query.bearerEnvNames?.includes(name) ? "bearer" : "key", value, source: `$${name}` };
  }
  if (query.fileKey) {
    const named = env[query.fileKey];
    return named
      ? { kind: "key", value: named, source: `$${query.fileKey}` }
      : { kind: "key", value: query.fileKey, source: "models.yml" };
  }
  return query.keyless ? { kind: "none", source: "no key needed" } : undefined;
}
