// Stored credentials: the accounts of each provider in a 0600 file, with the secret itself in the system keyring if
// there is one.

import { randomUUID } from "node:crypto";
import { isJsonObject } from "@lathe/llm";
import { readJsonFile, updateJsonFile, withFileLock } from "../../platform/home/json-file.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { Keyring } from "./keyring.ts";
import type { AccountChange, AccountInfo, AccountRef } from "./source.ts";
import {
  accountsIn,
  DEFAULT_ACCOUNT,
  readAccounts,
  type StoredAccount,
  type StoredAccounts,
  type StoredCredential,
  secretsOf,
  writeAccounts,
} from "./stored-accounts.ts";

export type { ApiKeyCredential, OAuthCredential, StoredCredential } from "./stored-accounts.ts";

/** Only called when a credential is written, or when an entry says that its secret is in the keyring. */
export type OpenKeyring = () => Promise<Keyring | undefined>;

/** An account with its secret. */
export interface OpenAccount {
  readonly info: AccountInfo;
  readonly credential: StoredCredential;
}

/** Where the secret is kept. */
export type SecretPlace = "keyring" | "file";

export class CredentialStore {
  readonly #file: string;
  readonly #openKeyring: OpenKeyring;
  readonly #listeners = new Set<(change: AccountChange) => void>();
  constructor(file: string, openKeyring: OpenKeyring = async () => undefined) {
    this.#file = file;
    this.#openKeyring = openKeyring;
  }

  providers(): readonly string[] {
    return Object.keys(this.#read());
  }

  /** Names of a provider's accounts. Does not open the keyring. */
  names(provider: string): readonly string[] {
    return this.#of(provider).map(({ name }) => name);
  }

  /** Skips accounts whose keyring does not respond. */
  async accounts(provider: string): Promise<readonly AccountInfo[]> {
    const infos: AccountInfo[] = [];
    for (const account of this.#of(provider)) {
      const credential = await this.#open(account);
      if (credential) infos.push(infoOf(provider, account, credential));
    }
    return infos;
  }

  /** The accounts of all providers at one moment, without those whose keyring does not respond. */
  async all(): Promise<readonly OpenAccount[]> {
    const opened: OpenAccount[] = [];
    for (const [provider, accounts] of Object.entries(this.#read())) {
      for (const account of accounts) {
        const credential = await this.#open(account);
        if (credential) opened.push({ info: infoOf(provider, account, credential), credential });
      }
    }
    return opened;
  }

  /** The credential of the account with this name, or by default of the first one. */
  async get(provider: string, name?: string): Promise<StoredCredential | undefined> {
    const account = this.#of(provider).find((one) => name === undefined || one.name === name);
    return account && this.#open(account);
  }

  async credentialOf({ provider, id }: AccountRef): Promise<StoredCredential | undefined> {
    const account = this.#of(provider).find((one) => one.id === id);
    return account && this.#open(account);
  }

  /** Adds an account with this name; replaces one that has it already. */
  async set(provider: string, credential: StoredCredential, name: string = DEFAULT_ACCOUNT): Promise<SecretPlace> {
    const id = `${provider}-${randomUUID().slice(0, 8)}`;
    const { place, kept } = await this.#keep(id, credential);
    let replaced: StoredAccount | undefined;
    await this.#change((all) => {
      const accounts = accountsIn(all, provider);
      replaced = accounts.find((one) => one.name === name);
      const account = { id, name, credential: kept };
      const changed = replaced ? accounts.map((one) => (one.name === name ? account : one)) : [...accounts, account];
      return { ...all, [provider]: changed };
    });
    if (replaced) await this.#forget(provider, replaced);
    this.#tell({ kind: "changed", provider, id });
    return place;
  }

  /**
   * Gives the account another credential, such as a renewed one. If the account was removed in the meantime, it stays
   * removed.
   */
  async replace(account: AccountRef, credential: StoredCredential): Promise<void> {
    const { place, kept } = await this.#keep(account.id, credential);
    const isThere = await this.#changeAccount(account, ({ disabled: _, ...one }) => ({ ...one, credential: kept }));
    if (!isThere && place === "keyring") (await this.#openKeyring())?.remove(account.id);
  }

  async disable(account: AccountRef, cause: string, at: number): Promise<void> {
    await this.#changeAccount(account, (one) => ({ ...one, disabled: { cause, at } }));
  }

  /** Removes the account with this name, or by default all of the provider. Returns false if there was none. */
  async remove(provider: string, name?: string): Promise<boolean> {
    let removed: readonly StoredAccount[] = [];
    await this.#change((all) => {
      const accounts = accountsIn(all, provider);
      removed = accounts.filter((one) => name === undefined || one.name === name);
      return { ...all, [provider]: accounts.filter((one) => !removed.includes(one)) };
    });
    for (const account of removed) await this.#forget(provider, account);
    return removed.length > 0;
  }

  /** Every secret stored in the file itself, under its provider's name. */
  fileSecrets(): { name: string; value: string }[] {
    return Object.entries(this.#read()).flatMap(([name, accounts]) =>
      accounts.flatMap(({ credential }) =>
        credential.type === "keyring" ? [] : secretsOf(credential).map((value) => ({ name, value })),
      ),
    );
  }

  /** Allows one refresh at a time across all processes: a refresh token works only once. */
  async exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#file}.${id}.refresh`, work);
  }

  /** Reports changes made through this object. Returns a function that ends the subscription. */
  subscribe(listener: (change: AccountChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #open({ id, credential }: StoredAccount): Promise<StoredCredential | undefined> {
    if (credential.type !== "keyring") return credential;
    const secret = (await this.#openKeyring())?.get(id);
    return secret === undefined ? undefined : (JSON.parse(secret) as StoredCredential);
  }

  async #keep(
    id: string,
    credential: StoredCredential,
  ): Promise<{ place: SecretPlace; kept: StoredAccount["credential"] }> {
    const keyring = await this.#openKeyring();
    if (keyring?.set(id, JSON.stringify(credential))) return { place: "keyring", kept: { type: "keyring" } };
    return { place: "file", kept: credential };
  }

  async #forget(provider: string, { id, credential }: StoredAccount): Promise<void> {
    if (credential.type === "keyring") (await this.#openKeyring())?.remove(id);
    this.#tell({ kind: "removed", provider, id });
  }

  /** Returns false if there is no such account. */
  async #changeAccount(
    { provider, id }: AccountRef,
    change: (account: StoredAccount) => StoredAccount,
  ): Promise<boolean> {
    let isThere = false;
    await this.#change((all) => {
      const accounts = accountsIn(all, provider);
      isThere = accounts.some((one) => one.id === id);
      return { ...all, [provider]: accounts.map((one) => (one.id === id ? change(one) : one)) };
    });
    if (isThere) this.#tell({ kind: "changed", provider, id });
    return isThere;
  }

  #change(change: (all: StoredAccounts) => StoredAccounts): Promise<void> {
    return updateJsonFile(this.#file, (value) => writeAccounts(change(this.#accountsIn(value)), value), {
      syncs: true,
    });
  }

  #tell(change: AccountChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #of(provider: string): readonly StoredAccount[] {
    return accountsIn(this.#read(), provider);
  }

  #read(): StoredAccounts {
    return this.#accountsIn(readJsonFile(this.#file));
  }

  /** A file in another format would be taken for an empty one, and replaced. */
  #accountsIn(value: unknown): StoredAccounts {
    if (value !== undefined && !isJsonObject(value as never))
      throw usageError(`${this.#file} does not hold credentials by provider. Fix or remove it.`);
    return readAccounts(value);
  }
}

function infoOf(provider: string, { id, name, disabled }: StoredAccount, credential: StoredCredential): AccountInfo {
  const common = { provider, id, name, type: credential.type, ...(disabled === undefined ? {} : { disabled }) };
  if (credential.type === "api_key") return { ...common, isRenewable: false };
  const { account, expires, refresh } = credential;
  return {
    ...common,
    isRenewable: refresh !== undefined,
    ...(account === undefined ? {} : { identity: account }),
    ...(expires === undefined ? {} : { expires }),
  };
}
