// The accounts of this machine as a `CredentialSource`: the store, the issuers that renew tokens, and the known limits.

import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { freshAccessToken, type OAuthContext, renewAccessToken } from "./oauth/refresh.ts";
import type {
  AccountChange,
  AccountInfo,
  AccountRef,
  AccountReport,
  AccountSecret,
  AccountStanding,
  CredentialSource,
} from "./source.ts";
import type { AccountStandings } from "./standings.ts";
import type { CredentialStore } from "./store.ts";

export interface LocalAccountsParts {
  readonly store: CredentialStore;
  readonly oauth: OAuthContext;
  /** Only called if there are several accounts to choose from. */
  readonly standings: () => Promise<AccountStandings>;
}

export class LocalAccounts implements CredentialSource {
  readonly place = "machine";
  readonly #parts: LocalAccountsParts;
  constructor(parts: LocalAccountsParts) {
    this.#parts = parts;
  }

  async providers(): Promise<readonly string[]> {
    return this.#parts.store.providers();
  }

  accounts(provider: string): Promise<readonly AccountInfo[]> {
    return this.#parts.store.accounts(provider);
  }

  async secret(account: AccountRef): Promise<AccountSecret> {
    const { store, oauth } = this.#parts;
    const credential = await store.credentialOf(account);
    if (credential?.type === "api_key") return { kind: "key", value: credential.key };
    if (credential) return { kind: "bearer", value: await freshAccessToken(account, store, oauth) };
    throw removedMeanwhile(account);
  }

  async refresh(account: AccountRef): Promise<AccountSecret> {
    const { store, oauth } = this.#parts;
    const credential = await store.credentialOf(account);
    // An API key cannot be renewed.
    if (credential?.type === "api_key") return { kind: "key", value: credential.key };
    if (credential) return { kind: "bearer", value: await renewAccessToken(account, store, oauth) };
    throw removedMeanwhile(account);
  }

  async report(account: AccountRef, report: AccountReport): Promise<void> {
    const { store, oauth, standings } = this.#parts;
    if (report.kind === "disabled") return store.disable(account, report.cause, oauth.now());
    return (await standings()).note(account, report);
  }

  async standing(account: AccountRef, signal?: AbortSignal): Promise<AccountStanding> {
    return (await this.#parts.standings()).of(account, () => this.secret(account), signal);
  }

  subscribe(listener: (change: AccountChange) => void): () => void {
    return this.#parts.store.subscribe(listener);
  }
}

const removedMeanwhile = ({ provider }: AccountRef): CliError =>
  new CliError(
    EXIT.provider,
    `The credential of ${provider} was removed in the meantime. Run: lathe login ${provider}`,
  );
