// Where `findCredential` gets its accounts: from files of this machine or from a broker. Both implement
// `CredentialSource`, so that requests, `auth status` and `models` see the same.

import type { RateLimitInfo } from "@lathe/llm";

/** Identifies one account: one credential of one provider. */
export interface AccountRef {
  readonly provider: string;
  /** Unique across providers, made of letters, digits, `_`, `.` and `-`. Each sign-in gets a new id. */
  readonly id: string;
}

/** The public part of an account. It holds no secret. */
export interface AccountInfo extends AccountRef {
  /** The user's name for it; unique within the provider. */
  readonly name: string;
  readonly type: "api_key" | "oauth";
  /** Who is signed in, according to the issuer. */
  readonly identity?: string;
  /** When the current access token expires, in epoch milliseconds; absent if it does not. */
  readonly expires?: number;
  /** Whether a new token can be obtained without the user. */
  readonly isRenewable: boolean;
  /** Set if a broker keeps it: the user signs in there. */
  readonly isAtBroker?: true;
  /** Set if it cannot be used until the user signs in again. */
  readonly disabled?: DisabledAccount;
}

export interface DisabledAccount {
  /** The issuer's words, as shown to the user. */
  readonly cause: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The secret that goes into a request. */
export interface AccountSecret {
  /** `bearer` is a token for the `authorization` header, whatever the vendor's key header is. */
  readonly kind: "key" | "bearer";
  readonly value: string;
}

/** Something that happened to an account. */
export type AccountReport =
  /** The vendor refuses its requests until then (epoch milliseconds). */
  | { readonly kind: "limit"; readonly until: number; readonly reason: string }
  /** The remaining limits from the headers of a response. */
  | { readonly kind: "rate_limit"; readonly info: RateLimitInfo }
  | { readonly kind: "disabled"; readonly cause: string };

/** How much of one limit is used up. */
export interface UsageWindow {
  /** The name given by the vendor or the row, such as `5 hours`. */
  readonly name: string;
  /** From 0 to 1, or more if the vendor says so. */
  readonly used: number;
  /** Epoch milliseconds. */
  readonly resetsAt?: number;
}

export interface UsageReport {
  /** When the vendor reported it, in epoch milliseconds. */
  readonly at: number;
  readonly windows: readonly UsageWindow[];
}

/** The known limits of an account. */
export interface AccountStanding {
  readonly limit?: { readonly until: number; readonly reason: string };
  readonly usage?: UsageReport;
  /** From the headers of its last responses, for accounts without a usage report. */
  readonly rateLimit?: UsageReport;
}

/** `changed` means stored, renewed, disabled or usable again. */
export interface AccountChange extends AccountRef {
  readonly kind: "changed" | "removed";
}

export type CredentialPlace = "machine" | "broker";

/** The command that stores a credential or signs in. */
export const signInCommand = (place: CredentialPlace): string =>
  place === "broker" ? "lathe auth-broker login" : "lathe login";

export interface CredentialSource {
  /** Where the credentials are kept, and so where they can be changed. */
  readonly place: CredentialPlace;
  /** Address of the broker. */
  address?(): Promise<string | undefined>;
  /** Asks the broker itself if we only know what it told an earlier run. */
  lookAgain?(): Promise<void>;
  /** Providers that have at least one account. */
  providers(): Promise<readonly string[]>;
  /** The provider's accounts in the order they were stored. Asks no issuer. */
  accounts(provider: string): Promise<readonly AccountInfo[]>;
  /** The secret, renewed first if it is about to expire. */
  secret(account: AccountRef): Promise<AccountSecret>;
  /** Renews the secret even if it has not expired: the vendor refused it. */
  refresh(account: AccountRef): Promise<AccountSecret>;
  report(account: AccountRef, report: AccountReport): Promise<void>;
  /**
   * Asks the vendor for usage if that is due and possible; never rejects because a vendor is down. The signal ends the
   * wait, and the result is then what is known so far. If it is already aborted, nothing is asked.
   */
  standing(account: AccountRef, signal?: AbortSignal): Promise<AccountStanding>;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (change: AccountChange) => void): () => void;
}
