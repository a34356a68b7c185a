// The order in which a provider's accounts are used, given what is known of each. Pure functions.

import { momentText } from "../../../platform/usage/moments.ts";
import type { AccountInfo, AccountStanding, UsageWindow } from "../source.ts";

/**
 * `balanced` puts the least used account first; `earliest-reset` the one whose limit resets first, so that no quota is
 * lost.
 */
export type RankingMode = "balanced" | "earliest-reset";

export const rankingMode = (written: string | undefined): RankingMode =>
  written?.trim() === "earliest-reset" ? "earliest-reset" : "balanced";

export interface Candidate {
  readonly account: AccountInfo;
  readonly standing: AccountStanding;
}

export interface Ranked extends Candidate {
  /** Whether the account can be used now, as far as we know. */
  readonly isUsable: boolean;
  /** Why the account has this rank, as shown to the user. */
  readonly reason: string;
}

/**
 * Usable accounts come first, keys before sign-ins; then accounts at a limit, the soonest available first; then
 * disabled ones.
 */
export function rankAccounts(candidates: readonly Candidate[], mode: RankingMode): readonly Ranked[] {
  const measured = candidates.map((candidate) => ({ candidate, ...measure(candidate) }));
  const tiers = measured.sort(
    (a, b) =>
      a.state - b.state ||
      (a.state === STATE.usable ? a.kind - b.kind : 0) ||
      (a.state === STATE.usable && mode === "balanced" ? a.used - b.used : before(a.next, b.next)) ||
      a.used - b.used,
  );
  return tiers.map((one) => ({
    ...one.candidate,
    isUsable: one.state === STATE.usable,
    reason: reasonOf(one, mode),
  }));
}

const STATE = { usable: 0, limited: 1, disabled: 2 } as const;

interface Measure {
  readonly state: (typeof STATE)[keyof typeof STATE];
  readonly kind: number;
  /** Used share of its tightest limit; an account without data counts as unused. */
  readonly used: number;
  readonly tightest: UsageWindow | undefined;
  /** When the first limit resets; for an account at its limits, when the last of them does. */
  readonly next: number;
}

function measure({ account, standing }: Candidate): Measure {
  const windows = (standing.usage ?? standing.rateLimit)?.windows ?? [];
  const tightest = windows.reduce<UsageWindow | undefined>(
    (most, window) => (most === undefined || window.used > most.used ? window : most),
    undefined,
  );
  const exhausted = windows.filter(({ used }) => used >= 1);
  const common = { kind: account.type === "api_key" ? 0 : 1, used: tightest?.used ?? 0, tightest };
  if (account.disabled !== undefined) return { ...common, state: STATE.disabled, next: Number.POSITIVE_INFINITY };
  if (standing.limit === undefined && exhausted.length === 0)
    return { ...common, state: STATE.usable, next: Math.min(...windows.map(resetOf)) };
  const ends = [...exhausted.map(resetOf), ...(standing.limit === undefined ? [] : [standing.limit.until])];
  return { ...common, state: STATE.limited, next: Math.max(...ends) };
}

const resetOf = ({ resetsAt = Number.POSITIVE_INFINITY }: UsageWindow): number => resetsAt;

/** Subtracting would give NaN for two infinities. */
const before = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

function reasonOf({ state, used, tightest, next }: Measure, mode: RankingMode): string {
  const at = Number.isFinite(next) ? momentText(next) : undefined;
  if (state === STATE.disabled) return "every account is disabled";
  if (state === STATE.limited)
    return at === undefined ? "every account is at its limit" : `every account is at its limit; this one until ${at}`;
  if (mode === "earliest-reset") return at === undefined ? "no account has a known reset" : `resets first, at ${at}`;
  return tightest === undefined
    ? "least used: its usage is unknown"
    : `least used: ${percent(used)} of ${tightest.name}`;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
