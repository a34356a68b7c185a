// Which account of each provider a session uses. The choice is made when the provider is first used, kept when the
// session is resumed, and changed only when the account reaches its limit. Nothing here runs for a provider with a
// single account.

import type { RateLimitInfo } from "@lathe/llm";
import type { AccountInfo, AccountReport, CredentialSource } from "../source.ts";
import { type Ranked, type RankingMode, rankAccounts } from "./ranking.ts";

/** The choice as the journal stores it. */
export interface AccountChoice {
  readonly provider: string;
  /** Id of the account. */
  readonly account: string;
  readonly name: string;
  readonly mode: RankingMode;
  readonly reason: string;
}

/** The limit that made the vendor refuse an account. */
export interface AccountLimit {
  readonly kind: "rate_limit" | "quota";
  /** How long the vendor asks us to wait; undefined if it does not say. */
  readonly retryAfterMs?: number;
}

export interface AccountChoicesParts {
  readonly source: CredentialSource;
  readonly mode: RankingMode;
  readonly now: () => number;
  /** The last choice that an earlier process of this session made. */
  readonly earlier: (provider: string) => AccountChoice | undefined;
  /** Ends the wait for usage reports; the choice then uses what is known so far. */
  readonly patience: () => AbortSignal;
}

/** Called with each choice. `from` is the account that reached its limit. */
export type ChoiceListener = (choice: AccountChoice, from?: AccountInfo, limit?: AccountLimit) => void;

/** If the vendor asks for at most this wait, we wait: another account would pay for the whole prompt again. */
const SHORT_WAIT_MS = 10_000;
/** Headers change with each answer, and other sessions do not need to know at once. */
const REPORT_EVERY_MS = 10_000;
/** Assumed wait if the vendor does not say when its limit ends. */
const UNKNOWN_LIMIT_MS = { rate_limit: 60_000, quota: 60 * 60_000 } as const;

export class AccountChoices {
  readonly #parts: AccountChoicesParts;
  readonly #chosen = new Map<string, Promise<AccountInfo>>();
  /** The same accounts, for callers that cannot wait for a promise. */
  readonly #current = new Map<string, AccountInfo>();
  readonly #refused = new Set<string>();
  /** Remaining limits from response headers that have not been reported yet. */
  readonly #noted = new Map<AccountInfo, RateLimitInfo>();
  #owesRetry = false;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #listener: ChoiceListener | undefined;
  readonly #untold: Parameters<ChoiceListener>[] = [];

  constructor(parts: AccountChoicesParts) {
    this.#parts = parts;
  }

  /** Sets the listener, and passes it the choices that were made before. */
  follow(listener: ChoiceListener): void {
    this.#listener = listener;
    for (const told of this.#untold.splice(0)) listener(...told);
  }

  /** Undefined if the provider has only one account or has not been used. */
  current(provider: string): AccountInfo | undefined {
    return this.#current.get(provider);
  }

  /** Chooses one of several accounts of the same provider. */
  async choose(several: readonly AccountInfo[]): Promise<AccountInfo> {
    const { provider } = several[0]!;
    const before = await this.#chosen.get(provider);
    const still = several.find(({ id }) => id === before?.id);
    if (still && still.disabled === undefined) return still;
    const choosing = this.#choose(several);
    this.#chosen.set(provider, choosing);
    return choosing;
  }

  /**
   * Handles a refusal of the account. Returns whether another account is in use now, so that the request can be
   * repeated at once.
   */
  async takeOver(from: AccountInfo, limit: AccountLimit): Promise<boolean> {
    const { provider } = from;
    // Another request met the limit first and has already switched.
    if (this.#current.get(provider)?.id !== from.id) return true;
    const { retryAfterMs } = limit;
    const isFirst = !this.#refused.has(from.id);
    this.#refused.add(from.id);
    if (isFirst && retryAfterMs !== undefined && retryAfterMs <= SHORT_WAIT_MS) return false;
    const { source, now } = this.#parts;
    const until = now() + (retryAfterMs ?? UNKNOWN_LIMIT_MS[limit.kind]);
    const reason = limit.kind === "quota" ? "quota used up" : "rate limit reached";
    await this.#report(from, { kind: "limit", until, reason });
    const [next] = await this.#rank((await source.accounts(provider)).filter(({ id }) => id !== from.id));
    if (!next?.isUsable) return false;
    if (this.#current.get(provider)?.id === from.id) this.#use(next, `${from.name}: ${reason}`, from, limit);
    return true;
  }

  /**
   * Records that a limit was met in the middle of an answer and another account has taken over, so the request is worth
   * repeating.
   */
  oweRetry(): void {
    this.#owesRetry = true;
  }

  /** Whether a retry is owed; asking clears it. */
  takeRetry(): boolean {
    const owed = this.#owesRetry;
    this.#owesRetry = false;
    return owed;
  }

  /** Notes the remaining limits in the headers of an answer. */
  async note(account: AccountInfo, rateLimit: RateLimitInfo | undefined): Promise<void> {
    this.#refused.delete(account.id);
    if (rateLimit === undefined) return;
    this.#noted.set(account, rateLimit);
    if (this.#parts.now() - this.#reportedAt >= REPORT_EVERY_MS) await this.flush();
  }

  /** Reports everything noted since the last report. */
  async flush(): Promise<void> {
    if (this.#noted.size === 0) return;
    this.#reportedAt = this.#parts.now();
    const noted = [...this.#noted];
    this.#noted.clear();
    for (const [account, info] of noted) await this.#report(account, { kind: "rate_limit", info });
  }

  async #report(account: AccountInfo, report: AccountReport): Promise<void> {
    try {
      await this.#parts.source.report(account, report);
    } catch {
      // If other sessions cannot be told, because a disk is full or a broker is down, this session's answer must not
      // fail.
    }
  }

  async #choose(several: readonly AccountInfo[]): Promise<AccountInfo> {
    const ranked = await this.#rank(several);
    const earlier = this.#parts.earlier(several[0]!.provider);
    const kept = ranked.find(({ account, isUsable }) => isUsable && account.id === earlier?.account);
    if (kept) {
      this.#remember(kept.account);
      return kept.account;
    }
    return this.#use(ranked[0]!, ranked[0]!.reason);
  }

  #use({ account }: Ranked, reason: string, from?: AccountInfo, limit?: AccountLimit): AccountInfo {
    const { provider, id, name } = account;
    this.#remember(account);
    const told = [{ provider, account: id, name, mode: this.#parts.mode, reason }, from, limit] as const;
    if (this.#listener) this.#listener(...told);
    else this.#untold.push([...told]);
    return account;
  }

  #remember(account: AccountInfo): void {
    this.#current.set(account.provider, account);
    this.#chosen.set(account.provider, Promise.resolve(account));
  }

  async #rank(accounts: readonly AccountInfo[]): Promise<readonly Ranked[]> {
    const { source, mode, patience } = this.#parts;
    const signal = patience();
    const candidates = accounts.map(async (account) => ({
      account,
      standing: await source.standing(account, signal),
    }));
    return rankAccounts(await Promise.all(candidates), mode);
  }
}
