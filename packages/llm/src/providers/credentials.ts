// Which key is sent to a provider: that of the first source that has one (CT-03). Looked up for every request, so that
// tokens can be refreshed.

import type { ClientDeps } from "../types/adapter.ts";

/** `bearer`: a token for the `authorization` header, whatever the vendor's key header is. */
export interface Credential {
  readonly kind: "key" | "bearer" | "none";
  readonly value?: string | undefined;
}

/** A key, or a function that returns one for each request. */
export type ApiKey = string | (() => Promise<string>);

/** Looks up one source. */
export type CredentialLookup = () => Promise<Credential | undefined>;

/** Where a credential may come from, highest priority first. */
export interface CredentialSources {
  readonly explicit?: ApiKey | undefined;
  readonly stored?: CredentialLookup | undefined;
  readonly oauth?: CredentialLookup | undefined;
  readonly env: ClientDeps["env"];
  readonly keyEnv: readonly string[];
  /** From the user's file: the name of an environment variable, otherwise the key itself. */
  readonly configured?: string | undefined;
  readonly fileKeyBeatsOAuth?: boolean | undefined;
}

/** The credential of the first source that has one. */
export async function resolveCredential(sources: CredentialSources): Promise<Credential | undefined> {
  const { explicit, stored, oauth, env, keyEnv, configured, fileKeyBeatsOAuth } = sources;
  if (explicit !== undefined) {
    const value = typeof explicit === "string" ? explicit : await explicit();
    if (value !== "") return { kind: "key", value };
  }
  const fromStore = await stored?.();
  if (fromStore) return fromStore;
  const fromFile = configured === undefined ? undefined : keyOf(env[configured] || configured);
  if (fileKeyBeatsOAuth && fromFile) return fromFile;
  return (await oauth?.()) ?? fromEnvironment(env, keyEnv) ?? fromFile;
}

/** OAuth tokens are sent as bearers, whatever the vendor's key header is. */
export function fromEnvironment(env: ClientDeps["env"], names: readonly string[]): Credential | undefined {
  for (const name of names) {
    const value = env[name];
    if (value) return { kind: /_(OAUTH_TOKEN|ACCESS_TOKEN|AUTH_TOKEN)$/.test(name) ? "bearer" : "key", value };
  }
  return undefined;
}

function keyOf(value: string): Credential | undefined {
  return value === "" ? undefined : { kind: "key", value };
}
