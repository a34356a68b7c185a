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

/** A credential that was found; asking for the secret may refresh a token or run the user's command. */
export interface FoundCredential {
  readonly kind: ResolvedCredential["kind"];
  readonly source: string;
  readonly secret: () => Promise<string> | string;
}

export interface CredentialQuery {
  readonly provider: string;
  /** Variables of the provider, first wins. */
  readonly envNames: readonly string[];
  /** Variables among them that hold a token to send as bearer. */
  readonly bearerEnvNames?: readonly string[];
  /** `apiKey` of the models file: the name of a variable, `!command`, else the key itself. */
  readonly fileKey?: string;
  /** A variable that the models file names, set or not. */
  readonly wantedEnv?: string;
  readonly keyless?: boolean;
}

export interface CredentialSources {
  /** --api-key, for the provider of the chosen model only. */
  readonly runKey?: { readonly provider: string; readonly key: string };
  readonly store: CredentialStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly oauth: OAuthContext;
  /** Called with each secret that is used, under the name of its variable or provider. */
  readonly onSecret?: (name: string, value: string) => void;
  /** Output of a command that the user wrote in the place of a key. */
  readonly runCommand?: (command: string) => Promise<string>;
}

export async function resolveCredential(
  query: CredentialQuery,
  sources: CredentialSources,
): Promise<ResolvedCredential | undefined> {
  const found = await findCredential(query, sources);
  if (!found) return undefined;
  const { kind, source } = found;
  if (kind === "none") return { kind, source };
  const value = await found.secret();
  sources.onSecret?.(source.startsWith("$") ? source.slice(1) : query.provider, value);
  return { kind, source, value };
}

export async function findCredential(
  query: CredentialQuery,
  sources: CredentialSources,
): Promise<FoundCredential | undefined> {
  const { provider, fileKey } = query;
  const { runKey, store, env } = sources;
  if (runKey?.provider === provider) return { kind: "key", source: "--api-key", secret: () => runKey.key };
  const stored = await store.get(provider);
  if (stored?.type === "api_key") return { kind: "key", source: "stored key", secret: () => stored.key };
  if (stored?.type === "oauth") {
    const over = stored.refresh === undefined && stored.expires !== undefined && stored.expires <= sources.oauth.now();
    const who = stored.account ? `signed in as ${stored.account}` : "signed in";
    return {
      kind: "bearer",
      source: over ? `${who}, expired; run: lathe login ${provider}` : who,
      secret: () => freshAccessToken(provider, store, sources.oauth),
    };
  }
  for (const name of query.envNames) {
    // Blanks around it come from files and copying; no key has any.
    const value = env[name]?.trim();
    const kind = query.bearerEnvNames?.includes(name) ? "bearer" : "key";
    if (value) return { kind, source: `$${name}`, secret: () => value };
  }
  if (fileKey) return fromFile(fileKey, sources);
  return query.keyless ? { kind: "none", source: "no key needed", secret: () => "" } : undefined;
}

function fromFile(fileKey: string, { env, runCommand }: CredentialSources): FoundCredential {
  const named = env[fileKey]?.trim();
  if (named) return { kind: "key", source: `$${fileKey}`, secret: () => named };
  if (fileKey.startsWith("!") && runCommand)
    return { kind: "key", source: "a command of models.yml", secret: () => runCommand(fileKey.slice(1)) };
  return { kind: "key", source: "models.yml", secret: () => fileKey };
}
