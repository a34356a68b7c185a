// Returns a valid access token, refreshing it under a lock if needed: two processes must never use the same refresh
// token.

import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { AccountRef } from "../source.ts";
import type { CredentialStore, OAuthCredential } from "../store.ts";
import type { OAuthRow } from "./rows.ts";
import { type Post, toCredential } from "./token.ts";

export interface OAuthContext {
  readonly now: () => number;
  readonly post: Post;
  /** Only called when a token must be renewed. */
  readonly rows: (provider: string) => Promise<readonly OAuthRow[]>;
}

const MARGIN_MS = 60_000;

export async function freshAccessToken(
  account: AccountRef,
  store: CredentialStore,
  context: OAuthContext,
): Promise<string> {
  const before = await signInOf(account, store);
  if (before && isGood(before, context.now())) return before.access;
  return renewed(account, store, context, (now) => isGood(now, context.now()));
}

/** Renews a token that has not expired yet. Another process may have renewed it since this one read it. */
export async function renewAccessToken(
  account: AccountRef,
  store: CredentialStore,
  context: OAuthContext,
): Promise<string> {
  const before = await signInOf(account, store);
  return renewed(account, store, context, ({ access }) => access !== before?.access);
}

async function renewed(
  account: AccountRef,
  store: CredentialStore,
  context: OAuthContext,
  isEnough: (credential: OAuthCredential) => boolean,
): Promise<string> {
  const { provider } = account;
  return store.exclusively(account.id, async () => {
    // Another process may have refreshed it while we waited for the lock.
    const credential = await signInOf(account, store);
    if (credential && isEnough(credential)) return credential.access;
    const row = (await context.rows(provider)).find((candidate) => candidate.provider === provider);
    if (!credential?.refresh || !row) {
      throw new CliError(EXIT.provider, `The sign-in for ${provider} has expired. Run: lathe login ${provider}`);
    }
    const ask = { grant_type: "refresh_token", refresh_token: credential.refresh, client_id: row.clientId };
    const reply = await context.post(row.tokenUrl, ask).catch((error: unknown) => {
      // While the issuer is unreachable, a token that still works stays in use.
      if (credential.expires === undefined || credential.expires <= context.now()) throw error;
    });
    if (reply === undefined) return credential.access;
    const next = toCredential(reply, { provider, now: context.now(), previous: credential });
    await store.replace(account, next);
    return next.access;
  });
}

async function signInOf(account: AccountRef, store: CredentialStore): Promise<OAuthCredential | undefined> {
  const credential = await store.credentialOf(account);
  return credential?.type === "oauth" ? credential : undefined;
}

const isGood = ({ expires }: OAuthCredential, now: number): boolean =>
  expires === undefined || expires - MARGIN_MS > now;
