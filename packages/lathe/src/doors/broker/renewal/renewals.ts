// Renews tokens, with one request at a time per account across all processes. What must not be lost is written first:
// that we ask, before asking the issuer; its answer, before any client gets it.

import { messageOf } from "@lathe/llm";
import type { SendForm } from "../../../config/credentials/oauth/post.ts";
import type { OAuthRow } from "../../../config/credentials/oauth/rows.ts";
import type { AccountRef } from "../../../config/credentials/source.ts";
import type { OAuthCredential, OpenAccount } from "../../../config/credentials/store.ts";
import type { Vault } from "../vault/vault.ts";
import { askIssuer } from "./issuer-answer.ts";
import type { RenewalNotes } from "./renewal-notes.ts";

export interface RenewalParts {
  readonly vault: Vault;
  readonly notes: RenewalNotes;
  readonly rows: () => Promise<readonly OAuthRow[]>;
  readonly send: SendForm;
  readonly now: () => number;
  /** Called for each answer of an issuer and for each failure before one. */
  readonly onRenewal: (account: AccountRef, renewal: Renewal) => void;
}

export type Renewal =
  | { readonly kind: "renewed" }
  /** The issuer no longer accepts the refresh token, or a client reported that. */
  | { readonly kind: "disabled" }
  /** A later attempt may work. `of` says what failed. */
  | { readonly kind: "failed"; readonly of: "issuer" | "vault"; readonly cause: string }
  | { readonly kind: "impossible"; readonly why: "gone" | "key" | "no_refresh_token" | "no_issuer" };

/** Clients refused at the same time ask one after the other; the token renewed for the first serves them all. */
const JUST_RENEWED_MS = 15_000;
/** A token that stays valid for this long counts as good. */
const STILL_GOOD_MS = 10_000;

interface Unsaved {
  readonly account: AccountRef;
  readonly credential: OAuthCredential;
  readonly problem: string;
}

export class Renewals {
  readonly #parts: RenewalParts;
  readonly #underWay = new Map<string, Promise<Renewal>>();
  readonly #renewedAt = new Map<string, number>();
  /** Renewed tokens that could not be written to a full disk. This is their only copy. */
  readonly #unsaved = new Map<string, Unsaved>();
  /** Accounts not renewed because the vault could not be written, with the reason. */
  readonly #blocked = new Map<string, string>();

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  renew(account: AccountRef): Promise<Renewal> {
    const { id } = account;
    const underWay = this.#underWay.get(id);
    if (underWay) return underWay;
    const work = this.#renew(account)
      .catch((error: unknown): Renewal => ({ kind: "failed", of: "vault", cause: messageOf(error) }))
      .then((renewal) => {
        this.#underWay.delete(id);
        if (renewal.kind === "failed" && renewal.of === "vault") this.#blocked.set(id, renewal.cause);
        else this.#blocked.delete(id);
        this.#parts.onRenewal(account, renewal);
        return renewal;
      });
    this.#underWay.set(id, work);
    return work;
  }

  isUnderWay(id: string): boolean {
    return this.#underWay.has(id);
  }

  /** Why an account's newest state is not on the disk. */
  diskProblem(id: string): { readonly isUnsaved: boolean; readonly cause: string } | undefined {
    const unsaved = this.#unsaved.get(id);
    if (unsaved) return { isUnsaved: true, cause: unsaved.problem };
    const cause = this.#blocked.get(id);
    return cause === undefined ? undefined : { isUnsaved: false, cause };
  }

  /** The stored accounts, with renewed tokens that are not on the disk yet. */
  newest(stored: readonly OpenAccount[]): readonly OpenAccount[] {
    return stored.map((one) => {
      const unsaved = this.#unsaved.get(one.info.id)?.credential;
      if (!unsaved) return one;
      const { expires: _, ...info } = one.info;
      return {
        credential: unsaved,
        info: unsaved.expires === undefined ? info : { ...info, expires: unsaved.expires },
      };
    });
  }

  /** Resolves with the accounts that still could not be saved. */
  async save(): Promise<readonly AccountRef[]> {
    for (const { account, credential } of [...this.#unsaved.values()]) await this.#save(account, credential);
    return [...this.#unsaved.values()].map(({ account }) => account);
  }

  /** Resolves when no renewal is under way. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #renew(account: AccountRef): Promise<Renewal> {
    const { vault, rows } = this.#parts;
    const { id, provider } = account;
    const before = await this.#signInOf(account);
    if (typeof before === "string") return { kind: "impossible", why: before };
    if (this.#isJustRenewed(id, before)) return { kind: "renewed" };
    if (before.refresh === undefined) return { kind: "impossible", why: "no_refresh_token" };
    const row = (await rows()).find((one) => one.provider === provider);
    if (!row) return { kind: "impossible", why: "no_issuer" };
    let renewal: Renewal | undefined;
    const work = async (): Promise<void> => {
      renewal = await this.#renewLocked(account, row, before.access);
    };
    await vault.store.exclusively(id, work).catch((error: unknown) => {
      // The issuer has answered; failing to release a lock on a broken disk does not change that.
      if (renewal === undefined) throw error;
    });
    return renewal as unknown as Renewal;
  }

  async #renewLocked(account: AccountRef, row: OAuthRow, accessBefore: string): Promise<Renewal> {
    // Another process may have renewed it while we waited for the lock.
    const credential = await this.#signInOf(account);
    if (typeof credential === "string") return { kind: "impossible", why: credential };
    if (await this.#isDisabled(account)) return { kind: "disabled" };
    if (credential.access !== accessBefore) return { kind: "renewed" };
    const { refresh } = credential;
    if (refresh === undefined) return { kind: "impossible", why: "no_refresh_token" };
    return this.#ask(account, row, { ...credential, refresh });
  }

  async #ask(
    account: AccountRef,
    row: OAuthRow,
    credential: OAuthCredential & { readonly refresh: string },
  ): Promise<Renewal> {
    const { vault, notes, send, now } = this.#parts;
    const { id } = account;
    const cutOff = notes.all()[id]?.noteAsking;
    // From here until the answer is stored, failing to free the reserved room must not lose the answer.
    const freeRoom = (): Promise<void> => vault.freeRoom(id).catch(() => undefined);
    await vault.takeRoom(id);
    const answer = await notes
      .asking(id, now())
      .then(() => askIssuer(row, credential, { send, now }))
      .finally(freeRoom);
    if (answer.kind === "failed") {
      await notes.failed(id, answer.cause, now());
      return { kind: "failed", of: "issuer", cause: answer.cause };
    }
    if (answer.kind === "refused") {
      const why =
        cutOff === undefined
          ? answer.cause
          : `${answer.cause} (renewing was cut off at ${new Date(cutOff).toISOString()}; the token that the issuer sent then is lost)`;
      await vault.store.disable(account, why, now());
      await notes.remove(id);
      return { kind: "disabled" };
    }
    this.#renewedAt.set(id, now());
    await this.#save(account, answer.credential);
    return { kind: "renewed" };
  }

  async #save(account: AccountRef, credential: OAuthCredential): Promise<void> {
    const { vault, notes } = this.#parts;
    try {
      await vault.store.replace(account, credential);
      this.#unsaved.delete(account.id);
      this.#blocked.delete(account.id);
    } catch (error) {
      // Retried until there is room; meanwhile clients get it from memory.
      this.#unsaved.set(account.id, { account, credential, problem: messageOf(error) });
      return;
    }
    // If the note stays, the next start only renews once more.
    await notes.remove(account.id).catch(() => undefined);
  }

  async #signInOf(account: AccountRef): Promise<OAuthCredential | "gone" | "key"> {
    const stored = await this.#parts.vault.store.credentialOf(account);
    if (stored === undefined) return "gone";
    if (stored.type === "api_key") return "key";
    return this.#unsaved.get(account.id)?.credential ?? stored;
  }

  async #isDisabled({ provider, id }: AccountRef): Promise<boolean> {
    const accounts = await this.#parts.vault.store.accounts(provider);
    return accounts.find((one) => one.id === id)?.disabled !== undefined;
  }

  #isJustRenewed(id: string, { expires }: OAuthCredential): boolean {
    const now = this.#parts.now();
    const since = now - (this.#renewedAt.get(id) ?? Number.NEGATIVE_INFINITY);
    return since >= 0 && since < JUST_RENEWED_MS && (expires === undefined || expires - STILL_GOOD_MS > now);
  }
}
