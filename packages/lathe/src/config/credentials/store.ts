// Stored credentials: one entry per provider in a 0600 file; the secret itself in the system keyring when there is one.

import { readJsonFile, updateJsonFile, withFileLock } from "../../platform/home/json-file.ts";
import type { Keyring } from "./keyring.ts";

/** Asked for only when a credential is written or an entry says that it is kept there. */
export type OpenKeyring = () => Promise<Keyring | undefined>;

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
  /** Of an MCP server: what else its issuer wants to see again. */
  readonly mcp?: McpRegistration;
}

interface McpRegistration {
  /** The credential is for this address and no other. */
  readonly url: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scope?: string;
}

/** Marks, in the file, a secret stored in the keyring. */
interface KeyringEntry {
  readonly type: "keyring";
}

type FileEntry = StoredCredential | KeyringEntry;

export class CredentialStore {
  readonly #file: string;
  readonly #openKeyring: OpenKeyring;
  constructor(file: string, openKeyring: OpenKeyring = async () => undefined) {
    this.#file = file;
    this.#openKeyring = openKeyring;
  }

  async get(provider: string): Promise<StoredCredential | undefined> {
    const entry = this.#entries()[provider];
    if (entry?.type !== "keyring") return entry;
    const secret = (await this.#openKeyring())?.get(provider);
    return secret === undefined ? undefined : (JSON.parse(secret) as StoredCredential);
  }

  async set(provider: string, credential: StoredCredential): Promise<"keyring" | "file"> {
    const keyring = await this.#openKeyring();
    const inKeyring = keyring?.set(provider, JSON.stringify(credential)) ?? false;
    await updateJsonFile(this.#file, (value) => ({
      ...asEntries(value),
      [provider]: inKeyring ? { type: "keyring" } : credential,
    }));
    return inKeyring ? "keyring" : "file";
  }

  async remove(provider: string): Promise<boolean> {
    let found = false;
    await updateJsonFile(this.#file, async (value) => {
      const { [provider]: removed, ...rest } = asEntries(value);
      found = removed !== undefined;
      if (removed?.type === "keyring") (await this.#openKeyring())?.remove(provider);
      return rest;
    });
    return found;
  }

  /** Every secret stored in the file itself, under its provider's name. */
  fileSecrets(): { name: string; value: string }[] {
    return Object.entries(this.#entries()).flatMap(([name, entry]) => {
      if (entry.type === "api_key") return [{ name, value: entry.key }];
      if (entry.type !== "oauth") return [];
      return [entry.access, entry.refresh ?? "", entry.mcp?.clientSecret ?? ""].map((value) => ({ name, value }));
    });
  }

  providers(): readonly string[] {
    return Object.keys(this.#entries());
  }

  /** One refresh at a time over all processes: a refresh token works once. */
  async exclusively<T>(provider: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#file}.${provider}.refresh`, work);
  }

  #entries(): Record<string, FileEntry> {
    return asEntries(readJsonFile(this.#file));
  }
}

function asEntries(value: unknown): Record<string, FileEntry> {
  return value && typeof value === "object" ? (value as Record<string, FileEntry>) : {};
}
