// Stored credentials: one entry per provider in a 0600 file; the secret itself in the system keyring when there is one.

import { readJsonFile, updateJsonFile, withFileLock } from "../home/json-file.ts";
import type { Keyring } from "./keyring.ts";

export type StoredCredential = ApiKeyCredential | OAuthCredential;

export interface ApiKeyCredential {
  readonly type: "api_key";
  readonly key: string;
}

export interface OAuthCredential {
  readonly type: "oauth";
  readonly access: string;
  readonly refresh?: string;
  /** Epoch milliseconds; absent = does not expire. */
  readonly expires?: number;
  readonly account?: string;
}

/** In the file, a secret kept elsewhere. */
interface KeyringEntry {
  readonly type: "keyring";
}

type FileEntry = StoredCredential | KeyringEntry;

export class CredentialStore {
  readonly #file: string;
  readonly #keyring: Keyring | undefined;
  constructor(file: string, keyring?: Keyring) {
    this.#file = file;
    this.#keyring = keyring;
  }

  async get(provider: string): Promise<StoredCredential | undefined> {
    const entry = (await this.#entries())[provider];
    if (entry?.type !== "keyring") return entry;
    const secret = this.#keyring?.get(provider);
    return secret === undefined ? undefined : (JSON.parse(secret) as StoredCredential);
  }

  async set(provider: string, credential: StoredCredential): Promise<"keyring" | "file"> {
    const inKeyring = this.#keyring?.set(provider, JSON.stringify(credential)) ?? false;
    await updateJsonFile(this.#file, (value) => ({
      ...asEntries(value),
      [provider]: inKeyring ? { type: "keyring" } : credential,
    }));
    return inKeyring ? "keyring" : "file";
  }

  async remove(provider: string): Promise<boolean> {
    let found = false;
    await updateJsonFile(this.#file, (value) => {
      const { [provider]: removed, ...rest } = asEntries(value);
      found = removed !== undefined;
      if (removed?.type === "keyring") this.#keyring?.remove(provider);
      return rest;
    });
    return found;
  }

  async providers(): Promise<readonly string[]> {
    return Object.keys(await this.#entries());
  }

  /** One refresh at a time over all processes: a refresh token works once. */
  async exclusively<T>(provider: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#file}.${provider}.refresh`, work);
  }

  async #entries(): Promise<Record<string, FileEntry>> {
    return asEntries(await readJsonFile(this.#file));
  }
}

function asEntries(value: unknown): Record<string, FileEntry> {
  return value && typeof value === "object" ? (value as Record<string, FileEntry>) : {};
}
