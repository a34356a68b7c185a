// What stands behind `findCredential`: the accounts of each provider, in files of this machine or on a broker. Both fulfil
// `CredentialSource`, so that requests, `auth status` and `models` see the same.

import type { RateLimitInfo } from "@lathe/llm";

/** Names one account: one credential of one provider. */
export interface AccountRef {
  readonly provider: string;
  /** Unique over all providers; of these characters: letters, digits, `_`, `.` and `-`. A new sign-in has a new one. */
  readonly id: string;
}

/** What may be said of an account. It holds no secret. */
export interface AccountInfo extends AccountRef {
  /** What the user calls it; unique within the provider. */
  readonly name: string;
  readonly type: "api_key" | "oauth";
  /** Who is signed in, as the issuer says. */
  readonly identity?: string;
  /** End of the present access token, epoch milliseconds; absent: it has none. */
  readonly expires?: number;
  /** A new token can be had without the user. */
  readonly isRenewable: boolean;
  /** It is kept by a broker: a person signs in there. */
  readonly isAtBroker?: true;
  /** It cannot be used until the user signs in again. */
  readonly disabled?: DisabledAccount;
}

export interface DisabledAccount {
  /** For people: what the issuer said. */
  readonly cause: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What goes into a request. */
export interface AccountSecret {
  /** `bearer`: a token that goes into `authorization`, whatever the vendor's key header is. */
  readonly kind: "key" | "bearer";
  readonly value: string;
}

/** What has become of an account. */
export type AccountReport =
  /** The vendor refuses its requests until then, epoch milliseconds. */
  | { readonly kind: "limit"; readonly until: number; readonly reason: string }
  /** What the headers of an answer said is left. */
  | { readonly kind: "rate_limit"; readonly info: RateLimitInfo }
  | { readonly kind: "disabled"; readonly cause: string };

/** How much of one limit is used up. */
export interface UsageWindow {
  /** As the vendor or the row calls it, such as `5 hours`. */
  readonly name: string;
  /** 0 to 1; more when the vendor says so. */
  readonly used: number;
  /** Epoch milliseconds. */
  readonly resetsAt?: number;
}

export interface UsageReport {
  /** When the vendor said it, epoch milliseconds. */
  readonly at: number;
  readonly windows: readonly UsageWindow[];
}

/** What is known of how much of an account is left. */
export interface AccountStanding {
  readonly limit?: { readonly until: number; readonly reason: string };
  readonly usage?: UsageReport;
  /** From headers of its last answers, for accounts without a usage report. */
  readonly rateLimit?: UsageReport;
}

/** `changed`: stored, renewed, disabled or usable again. */
export interface AccountChange extends AccountRef {
  readonly kind: "changed" | "removed";
}

export type CredentialPlace = "machine" | "broker";

/** What a person runs to store a credential or to sign in. */
export const signInCommand = (place: CredentialPlace): string =>
  place === "broker" ? "lathe auth-broker login" : "lathe login";

export interface CredentialSource {
  /** Who keeps them, and so where they can be changed. */
  readonly place: CredentialPlace;
  /** Of the broker. */
  address?(): Promise<string | undefined>;
  /** Asks the broker itself, where only what it said to an earlier run is known. */
  lookAgain?(): Promise<void>;
  /** Providers with at least one account. */
  providers(): Promise<readonly string[]>;
  /** In the order in which they were stored. Asks no issuer. */
  accounts(provider: string): Promise<readonly AccountInfo[]>;
  /** Renewed first when it is about to expire. */
  secret(account: AccountRef): Promise<AccountSecret>;
  /** Renewed although its time is not over: the vendor has refused it. */
  refresh(account: AccountRef): Promise<AccountSecret>;
  report(account: AccountRef, report: AccountReport): Promise<void>;
  /**
   * Asks the vendor for usage where that is due and possible; never throws for a vendor that is down. The signal ends the wait: then it
   * is what is known. Aborted before: nobody is asked.
   */
  standing(account: AccountRef, signal?: AbortSignal): Promise<AccountStanding>;
  /** Returns how to end it. */
  subscribe(listener: (change: AccountChange) => void): () => void;
}
