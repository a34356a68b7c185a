// A token that is still good, refreshed under a lock when it is not: two processes must never use the same refresh token.

import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { CredentialStore } from "../store.ts";
import type { OAuthRow } from "./rows.ts";
import { type Post, toCredential } from "./token.ts";

export interface OAuthContext {
  readonly now: () => number;
  readonly post: Post;
  /** Asked for only when a token must be renewed. */
  readonly rows: () => Promise<readonly OAuthRow[]>;
}

const MARGIN_MS = 60_000;

export async function freshAccessToken(
  provider: string,
  store: CredentialStore,
  context: OAuthContext,
): Promise<string> {
  const good = await stillGood(provider, store, context.now());
  if (good) return good;
  return store.exclusively(provider, async () => {
    // Another process may have refreshed while we waited for the lock.
    const refreshed = await stillGood(provider, store, context.now());
    if (refreshed) return refreshed;
    const credential = await store.get(provider);
    const row = (await context.rows()).find((candidate) => candidate.provider === provider);
    if (credential?.type !== "oauth" || !credential.refresh || !row) {
      throw new CliError(EXIT.provider, `The sign-in for ${provider} has expired. Run: lathe login ${provider}`);
    }
    const ask = { grant_type: "refresh_token", refresh_token: credential.refresh, client_id: row.clientId };
    const reply = await context.post(row.tokenUrl, ask).catch((error: unknown) => {
      // An unreachable issuer is no reason to drop a token that still works.
      if (credential.expires === undefined || credential.expires <= context.now()) throw error;
    });
    if (reply === undefined) return credential.access;
    const next = toCredential(reply, { provider, now: context.now(), previous: credential });
    await store.set(provider, next);
    return next.access;
  });
}

async function stillGood(provider: string, store: CredentialStore, now: number): Promise<string | undefined> {
  const credential = await store.get(provider);
  if (credential?.type !== "oauth") return undefined;
  return credential.expires === undefined || credential.expires - MARGIN_MS > now ? credential.access : undefined;
}
