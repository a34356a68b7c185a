// The known limits of each account, shared by all runs through one file: usage reports, limits that vendors named, and
// the rate-limit headers of the last responses. Only loaded if a provider has several accounts, or to show usage.

import { isJsonObject, type RateLimitInfo } from "@lathe/llm";
import { readJsonFile, updateJsonFile } from "../../platform/home/json-file.ts";
import { clampMoment } from "../../platform/usage/moments.ts";
import type { AccountRef, AccountReport, AccountSecret, AccountStanding, UsageReport } from "./source.ts";
import { Coalesced } from "./usage/coalesced.ts";

const MINUTE = 60_000;
/**
 * A report is refreshed after 5 minutes, give or take a quarter, so that the runs of a team do not all ask at the same
 * moment.
 */
const REPORT_MS = 5 * MINUTE;
const JITTER = 0.25;
/** While the vendor is down, the last good report is used for a day. */
const LAST_GOOD_MS = 24 * 60 * MINUTE;
/** Callers within this time share one request. */
const SHARED_MS = 15_000;
/** Lifetime of response headers that do not say when the limit resets. */
const HEADERS_MS = 5 * MINUTE;

export interface StandingsParts {
  readonly file: string;
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Undefined if there is nothing to ask, or no answer. */
  readonly askUsage: (account: AccountRef, secret: () => Promise<AccountSecret>) => Promise<UsageReport | undefined>;
}

/** The file's entry for one account. */
interface Kept extends AccountStanding {
  readonly askAgainAt?: number;
}

export class AccountStandings {
  readonly #parts: StandingsParts;
  readonly #asking = new Map<string, Coalesced<UsageReport>>();
  /** Changes that are not in the file yet. */
  readonly #unwritten = new Map<string, Partial<Kept>>();

  constructor(parts: StandingsParts) {
    this.#parts = parts;
  }

  async of(account: AccountRef, secret: () => Promise<AccountSecret>, signal?: AbortSignal): Promise<AccountStanding> {
    const { now } = this.#parts;
    const { askAgainAt = Number.NEGATIVE_INFINITY } = this.#entry(account.id);
    if (!signal?.aborted && now() >= askAgainAt) await this.#ask(account, secret, signal);
    return withoutExpired(this.#entry(account.id), now());
  }

  async note({ id }: AccountRef, report: Exclude<AccountReport, { kind: "disabled" }>): Promise<void> {
    const { now } = this.#parts;
    if (report.kind === "rate_limit") return this.#write(id, { rateLimit: usageFromHeaders(report.info, now()) });
    const { until, reason } = report;
    return this.#write(id, { limit: { until: clampMoment(until), reason } });
  }

  /** Notes usage that a client read from response headers. */
  async noteWindows({ id }: AccountRef, windows: UsageReport["windows"]): Promise<void> {
    return this.#write(id, { rateLimit: { at: this.#parts.now(), windows } });
  }

  async #ask(account: AccountRef, secret: () => Promise<AccountSecret>, signal?: AbortSignal): Promise<void> {
    const { now, random, askUsage } = this.#parts;
    const { id } = account;
    const load = async (): Promise<UsageReport | undefined> => {
      const usage = await askUsage(account, secret);
      const askAgainAt = now() + REPORT_MS * (1 - JITTER + 2 * JITTER * random());
      await this.#write(id, { askAgainAt, ...(usage === undefined ? {} : { usage }) });
      return usage;
    };
    const asking = this.#asking.get(id) ?? new Coalesced({ load, now, windowMs: SHARED_MS });
    this.#asking.set(id, asking);
    await asking.get(signal);
  }

  /** Applies the changes on top of what other runs have written in the meantime. */
  async #write(id: string, change: Partial<Kept>): Promise<void> {
    const { file, now } = this.#parts;
    this.#unwritten.set(id, { ...this.#unwritten.get(id), ...change });
    const changes = [...this.#unwritten];
    try {
      await updateJsonFile(file, (value) => {
        const all = { ...keptIn(value) };
        for (const [of, part] of changes) all[of] = { ...all[of], ...part };
        return Object.fromEntries(Object.entries(all).filter(([, kept]) => isWorthKeeping(kept, now())));
      });
    } catch {
      return; // a full disk must not fail an answer: the unwritten changes are still known here
    }
    for (const [of, part] of changes) if (this.#unwritten.get(of) === part) this.#unwritten.delete(of);
  }

  #entry(id: string): Kept {
    const all = this.#file();
    return { ...(Object.hasOwn(all, id) ? all[id] : undefined), ...this.#unwritten.get(id) };
  }

  /** A damaged file counts as empty. */
  #file(): Record<string, Kept> {
    try {
      return keptIn(readJsonFile(this.#parts.file));
    } catch {
      return {};
    }
  }
}

const keptIn = (value: unknown): Record<string, Kept> =>
  isJsonObject(value as never) ? (value as Record<string, Kept>) : {};

/** The standing without what has expired. */
function withoutExpired({ limit, usage, rateLimit }: Kept, now: number): AccountStanding {
  const isRecent = usage !== undefined && now - usage.at < LAST_GOOD_MS;
  return {
    ...(limit !== undefined && limit.until > now ? { limit } : {}),
    ...(isRecent ? { usage: { ...usage, windows: usage.windows.filter((window) => !isReset(window, now)) } } : {}),
    ...(rateLimit !== undefined && !isOver(rateLimit, now) ? { rateLimit } : {}),
  };
}

const isReset = ({ resetsAt }: { readonly resetsAt?: number }, now: number): boolean =>
  resetsAt !== undefined && resetsAt <= now;

const isOver = ({ at, windows }: UsageReport, now: number): boolean =>
  windows.every((window) => (window.resetsAt === undefined ? at + HEADERS_MS <= now : isReset(window, now)));

function isWorthKeeping({ askAgainAt = 0, ...kept }: Kept, now: number): boolean {
  return askAgainAt > now || Object.keys(withoutExpired(kept, now)).length > 0;
}

/** The used share of each limit, from the headers of a response. */
export function usageFromHeaders(info: RateLimitInfo, now: number): UsageReport {
  const resetsAt = info.resetAt?.getTime();
  const windows = [
    { name: "requests", left: info.requestsRemaining, limit: info.requestsLimit },
    { name: "tokens", left: info.tokensRemaining, limit: info.tokensLimit },
  ].flatMap(({ name, left, limit }) =>
    left === undefined || limit === undefined || limit <= 0
      ? []
      : [{ name, used: Math.max(0, 1 - left / limit), ...(resetsAt === undefined ? {} : { resetsAt }) }],
  );
  return { at: now, windows };
}
