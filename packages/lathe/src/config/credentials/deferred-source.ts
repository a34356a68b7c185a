// A `CredentialSource` whose code is loaded with the first question.

import type {
  AccountChange,
  AccountInfo,
  AccountRef,
  AccountReport,
  AccountSecret,
  AccountStanding,
  CredentialPlace,
  CredentialSource,
} from "./source.ts";

export class DeferredSource implements CredentialSource {
  readonly place: CredentialPlace;
  readonly #load: () => Promise<CredentialSource>;
  #loaded: Promise<CredentialSource> | undefined;

  constructor(place: CredentialPlace, load: () => Promise<CredentialSource>) {
    this.place = place;
    this.#load = load;
  }

  async address(): Promise<string | undefined> {
    return (await this.#source()).address?.();
  }

  async providers(): Promise<readonly string[]> {
    return (await this.#source()).providers();
  }

  async accounts(provider: string): Promise<readonly AccountInfo[]> {
    return (await this.#source()).accounts(provider);
  }

  async secret(account: AccountRef): Promise<AccountSecret> {
    return (await this.#source()).secret(account);
  }

  async refresh(account: AccountRef): Promise<AccountSecret> {
    return (await this.#source()).refresh(account);
  }

  async report(account: AccountRef, report: AccountReport): Promise<void> {
    return (await this.#source()).report(account, report);
  }

  async standing(account: AccountRef, signal?: AbortSignal): Promise<AccountStanding> {
    return (await this.#source()).standing(account, signal);
  }

  subscribe(listener: (change: AccountChange) => void): () => void {
    let isOver = false;
    let end = (): void => {
      isOver = true;
    };
    this.#source().then(
      (source) => {
        if (!isOver) end = source.subscribe(listener);
      },
      () => undefined, // the next question says what is wrong
    );
    return () => end();
  }

  #source(): Promise<CredentialSource> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
}
