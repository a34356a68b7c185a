// Providers the user can store a key for or sign in to: finding them by name, listing them with what is already stored,
// and what storing or deleting a credential means for the models of a run.

import { defaultModels } from "@lathe/llm";
import { findRow, providerRows } from "@lathe/llm/providers";
import { type OAuthRow, readIssuers, rowsFor } from "../config/credentials/oauth/rows.ts";
import { findCredential } from "../config/credentials/resolve.ts";
import { findSearchEngine, searchAccounts } from "../config/credentials/search-engines.ts";
import type { StoredCredential } from "../config/credentials/store.ts";
import { DEFAULT_ACCOUNT, secretsOf } from "../config/credentials/stored-accounts.ts";
import { type CliError, usageError } from "../platform/usage/exit.ts";
import { nearest } from "../platform/usage/nearest.ts";
import type { ModelWorkspace } from "./connect.ts";
import { cloudSign, credentialQuery, credentialSources, credentialStore } from "./credentials.ts";
import { PRACTICE, PRACTICE_PROVIDER } from "./models.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** How to sign in; without it the provider takes a key. */
  readonly oauth?: OAuthRow;
}

export interface ListedAccount extends Account {
  /** Where the credential comes from that requests would use. */
  readonly source?: string;
  readonly isStored: boolean;
  /** Why its entry in oauth.yml cannot be used. */
  readonly problem?: string;
}

/** One line for each entry of oauth.yml that is not used because it is wrong; not for that of `except`. */
export async function wrongIssuers(workspace: ModelWorkspace, except = ""): Promise<readonly string[]> {
  const { wrong } = await readIssuers(workspace.paths.home);
  return [...wrong].filter(([provider]) => provider !== except).map(([, { message }]) => message);
}

/** Finds the account with this name. If the user gave a key in place of a name, the error does not repeat it. */
export async function accountOf(workspace: ModelWorkspace, name: string): Promise<Account> {
  if (name === PRACTICE_PROVIDER)
    throw usageError(`The practice model needs no key: lathe --model ${PRACTICE} "<request>"`);
  const engine = findSearchEngine(name);
  // A search engine that is also a model provider takes that provider's key.
  const row = findRow(engine?.accounts?.[0] ?? name);
  const id = row?.id ?? name;
  const issuers = await rowsFor(workspace.paths.home, id);
  const oauth = issuers.find(({ provider }) => provider === id);
  const { registry } = await workspace.models();
  if (row?.unsupported !== undefined) throw usageError(`${row.name} cannot be used: ${row.unsupported}.`);
  if (row || oauth || registry.knows(name))
    return { id, name: row?.name ?? oauth?.label ?? name, ...(oauth ? { oauth } : {}) };
  if (engine?.isKeyless) throw usageError(`${engine.name} needs no key.`);
  if (engine) return { id: engine.id, name: engine.name };
  if (looksLikeKey(name)) throw keyOnCommandLine(name);
  const guess = nearest(name, [
    ...providerRows.map(({ id }) => id),
    ...Object.keys(registry.config.providers ?? {}),
    ...issuers.map(({ provider }) => provider),
    ...searchAccounts.map(({ id }) => id),
  ]);
  throw usageError(`Unknown provider "${name}".${guess ? ` Did you mean ${guess}?` : " See: lathe models"}`);
}

/** Lists accounts with a credential first, then those with a sign-in, then the rest in the catalog's order. */
export async function listAccounts(workspace: ModelWorkspace): Promise<readonly ListedAccount[]> {
  const models = await workspace.models();
  const sources = credentialSources(workspace);
  const { rows: issuers, wrong } = await readIssuers(workspace.paths.home);
  const stored = await sources.accounts.providers();
  const known = [
    ...stored,
    ...issuers.map(({ provider }) => provider),
    ...wrong.keys(),
    ...Object.keys(defaultModels),
    ...providerRows.filter(({ unsupported }) => unsupported === undefined).map(({ id }) => id),
    ...Object.keys(models.registry.config.providers ?? {}),
    ...searchAccounts.map(({ id }) => id),
  ];
  const accounts: ListedAccount[] = [];
  for (const id of new Set(known)) {
    if (models.disabled.includes(id)) continue;
    const found = await findCredential(credentialQuery(id, workspace.env, models.configOf(id)), sources);
    const sign = cloudSign(id, workspace.env);
    const source = found?.kind === "none" ? undefined : (found?.source ?? (sign && `$${sign}`));
    const oauth = issuers.find(({ provider }) => provider === id);
    const problem = wrong.get(id)?.message;
    accounts.push({
      id,
      name: findRow(id)?.name ?? oauth?.label ?? findSearchEngine(id)?.name ?? id,
      isStored: stored.includes(id),
      ...(oauth ? { oauth } : {}),
      ...(source === undefined ? {} : { source }),
      ...(problem === undefined ? {} : { problem }),
    });
  }
  const rank = ({ source, oauth }: ListedAccount): number => (source !== undefined ? 0 : oauth ? 1 : 2);
  return accounts.sort((a, b) => rank(a) - rank(b));
}

/**
 * Makes a credential from the key that the user typed or pasted. `how` is the part of an error message that says how to
 * give a key.
 */
export function keyCredential({ id, name }: Account, typed: string, how: string): StoredCredential {
  const key = typed.trim();
  const isLocal = findRow(id)?.keyless === true;
  if (key === "" && isLocal) throw usageError(`${name} needs no key. If yours does, ${how}`);
  if (key === "") throw usageError(`No key given. ${how.charAt(0).toUpperCase()}${how.slice(1)}`);
  if (/[^\x21-\x7e]/.test(key)) throw usageError("A key contains no spaces or line breaks. Give only the key.");
  return { type: "api_key", key };
}

/**
 * Stores a credential, so that the provider's models can be called from now on. `as` is the user's name for it. Returns
 * a text that says where it is kept.
 */
export async function storeCredential(
  workspace: ModelWorkspace,
  { id, name }: Account,
  credential: StoredCredential,
  as: string = DEFAULT_ACCOUNT,
): Promise<string> {
  refuseAtBroker(workspace, "login", id);
  for (const secret of secretsOf(credential)) workspace.redactor.add(id, secret);
  const where = await credentialStore(workspace).set(id, credential, as);
  (await workspace.models()).noteStoredCredential(id);
  const named = as === DEFAULT_ACCOUNT ? "" : ` as "${as}"`;
  return `Stored for ${name}${named} in the ${where === "keyring" ? "system keyring" : "credentials file"}.`;
}

/** `only` is the name of one of several accounts. Returns a text that says whether there was one. */
export async function deleteCredential(
  workspace: ModelWorkspace,
  { id, name }: Account,
  only?: string,
): Promise<string> {
  refuseAtBroker(workspace, "logout", id);
  const store = credentialStore(workspace);
  const names = store.names(id);
  if (only !== undefined && names.length > 0 && !names.includes(only))
    throw usageError(`${name} has no account "${only}". It has ${names.join(", ")}.`);
  const found = await store.remove(id, only);
  if (!store.providers().includes(id)) (await workspace.models()).noteDeletedCredential(id);
  if (!found) return `Nothing was stored for ${name}.`;
  return only === undefined ? `Deleted the credential of ${name}.` : `Deleted the account "${only}" of ${name}.`;
}

/** With a broker, credentials stored here would have no effect, and those at the broker are shared with others. */
export function refuseAtBroker(workspace: ModelWorkspace, verb: "login" | "logout", provider = ""): void {
  if (workspace.accounts().place === "machine") return;
  const named = provider === "" || looksLikeKey(provider) ? "<provider>" : provider;
  throw usageError(`Your credentials are kept by a broker. Run on its machine: lathe auth-broker ${verb} ${named}`);
}

/** Checks the name the user gives an account. If it looks like a key, the error does not repeat it. */
export function accountName(provider: string, written: string): string {
  if (looksLikeKey(written)) throw keyOnCommandLine(provider);
  if (/^[\w.@+-]{1,64}$/.test(written)) return written;
  throw usageError("The name of an account has letters, digits and . _ @ + - only, for example --account work.");
}

/** The error does not repeat what the user typed, because it is most likely the key. */
export function keyOnCommandLine(name = ""): CliError {
  const provider = looksLikeKey(name) ? "<provider>" : name;
  return usageError(
    `A key is not taken from the command line: it stays in your shell's history. Delete it there, then pipe the key in: lathe login ${provider} < key.txt`,
  );
}

/** Whether the word is longer than any provider name, or begins as keys do. */
export const looksLikeKey = (word: string): boolean =>
  /^(sk|pk|gsk|xai|key|AIza|ghp|hf)[-_]/.test(word) || word.length > 30;
