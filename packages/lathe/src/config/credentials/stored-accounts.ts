// The format of the credentials file: the accounts of each provider. An entry in the earlier format, one credential
// without a name, is read as the account `default`.

import { isJsonObject, type JsonObject } from "@lathe/llm";
import type { DisabledAccount } from "./source.ts";

export type StoredCredential = ApiKeyCredential | OAuthCredential;

export interface ApiKeyCredential {
  readonly type: "api_key";
  readonly key: string;
}

export interface OAuthCredential {
  readonly type: "oauth";
  readonly access: string;
  readonly refresh?: string;
  /** Epoch milliseconds; absent if it does not expire. */
  readonly expires?: number;
  readonly account?: string;
  /** For an MCP server: further values that its issuer wants to see again. */
  readonly mcp?: McpRegistration;
}

interface McpRegistration {
  /** The credential is for this address only. */
  readonly url: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
}

/** Marks, in the file, a secret that the keyring stores under the id of its account. */
interface KeyringMark {
  readonly type: "keyring";
}

/** One account as stored in the file. */
export interface StoredAccount {
  readonly id: string;
  readonly name: string;
  readonly credential: StoredCredential | KeyringMark;
  readonly disabled?: DisabledAccount;
}

/** The accounts of each provider, in the order they were stored. */
export type StoredAccounts = Readonly<Record<string, readonly StoredAccount[]>>;

/** Name of an account that the user did not name. */
export const DEFAULT_ACCOUNT = "default";

export function readAccounts(value: unknown): StoredAccounts {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).map(([provider, entry]) => [provider, accountsOf(provider, entry)] as const);
  return Object.fromEntries(entries.filter(([, accounts]) => accounts.length > 0));
}

function accountsOf(provider: string, entry: unknown): readonly StoredAccount[] {
  if (!isJsonObject(entry)) return [];
  const { accounts, type } = entry as { readonly accounts?: unknown; readonly type?: unknown };
  if (Array.isArray(accounts)) return accounts.filter(isStoredAccount);
  // Its secret may be in the keyring, under the name of the provider.
  if (typeof type !== "string") return [];
  return [{ id: provider, name: DEFAULT_ACCOUNT, credential: entry as unknown as StoredAccount["credential"] }];
}

function isStoredAccount(value: unknown): value is StoredAccount {
  const { id, name, credential } = Object(value) as Partial<Record<keyof StoredAccount, unknown>>;
  return typeof id === "string" && typeof name === "string" && isJsonObject(credential as never);
}

export const accountsIn = (all: StoredAccounts, provider: string): readonly StoredAccount[] =>
  Object.hasOwn(all, provider) ? all[provider]! : [];

/**
 * Entries of `before` that this version cannot read are kept: they may be an editing mistake, or come from a later
 * version.
 */
export function writeAccounts(accounts: StoredAccounts, before: unknown): object {
  const earlier = isJsonObject(before) ? before : {};
  const providers = new Set([...Object.keys(earlier), ...Object.keys(accounts)]);
  return Object.fromEntries([...providers].flatMap((provider) => entryOf(provider, accounts, earlier)));
}

function entryOf(provider: string, all: StoredAccounts, earlier: JsonObject): readonly (readonly [string, unknown])[] {
  const known = accountsIn(all, provider);
  const entry: unknown = Object.hasOwn(earlier, provider) ? earlier[provider] : {};
  const { accounts, type } = Object(entry) as { readonly accounts?: unknown; readonly type?: unknown };
  const strange = Array.isArray(accounts) ? accounts.filter((account) => !isStoredAccount(account)) : [];
  if (known.length + strange.length > 0) return [[provider, { accounts: [...known, ...strange] }]];
  const isKnown = Array.isArray(accounts) || typeof type === "string" || !Object.hasOwn(earlier, provider);
  return isKnown ? [] : [[provider, entry]];
}

/** All parts of a credential that must not be shown. */
export function secretsOf(credential: StoredCredential): readonly string[] {
  const secrets =
    credential.type === "api_key"
      ? [credential.key]
      : [credential.access, credential.refresh ?? "", credential.mcp?.clientSecret ?? ""];
  return secrets.filter((secret) => secret !== "");
}
