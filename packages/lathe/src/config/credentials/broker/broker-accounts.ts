// The accounts of a broker as a `CredentialSource`: loaded from a snapshot, kept up to date by the broker's stream
// while there are listeners. The broker renews the credentials and receives the reports.

import type { ClientDeps } from "@lathe/llm";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type {
  AccountChange,
  AccountInfo,
  AccountRef,
  AccountReport,
  AccountSecret,
  AccountStanding,
  CredentialSource,
} from "../source.ts";
import { usageFromHeaders } from "../standings.ts";
import { Coalesced } from "../usage/coalesced.ts";
import { type BrokerClient, BrokerError } from "./broker-client.ts";
import { follow } from "./follow-stream.ts";
import { KnownCredentials } from "./known-credentials.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";
import type { BrokerCredential, Snapshot, StreamEvent, UsageReply } from "./wire.ts";

/**
 * A token that expires within this time is renewed first. A token that lives less than twice this long is renewed at
 * half its lifetime.
 */
const MARGIN_MS = 60_000;
/** Callers within this time share one request for usage. */
const USAGE_MS = 15_000;
/**
 * After a failure the broker is left alone for this long, so that the questions of one command do not all ask again.
 */
const FAILED_FOR_MS = 5_000;

export interface BrokerAccountsParts {
  readonly client: BrokerClient;
  readonly cache: SnapshotCache;
  readonly deps: Pick<ClientDeps, "now" | "random" | "setTimer">;
  /** Called with each secret that this process learns. */
  readonly onSecret: (provider: string, value: string) => void;
}

export class BrokerAccounts implements CredentialSource {
  readonly place = "broker";
  readonly #parts: BrokerAccountsParts;
  #opening: Promise<KnownCredentials> | undefined;
  #failure: { readonly at: number; readonly error: unknown } | undefined;
  /** Whether the broker itself has answered this process: the cached file may be an hour old. */
  #hasHeard = false;
  /** By id, the time this process last renewed the credential. */
  readonly #renewedAt = new Map<string, number>();
  readonly #renewing = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(change: AccountChange) => void>();
  #endFollowing: (() => void) | undefined;
  readonly #usage: Coalesced<UsageReply>;
  #lastUsage: UsageReply | undefined;
  /** Reports from this process: the broker's answers may be older. */
  readonly #reported = new Map<string, AccountStanding>();

  constructor(parts: BrokerAccountsParts) {
    this.#parts = parts;
    this.#usage = new Coalesced({ load: () => this.#askUsage(), now: parts.deps.now, windowMs: USAGE_MS });
  }

  async address(): Promise<string> {
    return this.#parts.client.url;
  }

  async lookAgain(): Promise<void> {
    const known = await this.#knownCredentials();
    if (!this.#hasHeard) await this.#change(known, known.replace(await this.#load()));
  }

  async providers(): Promise<readonly string[]> {
    return (await this.#knownCredentials()).providers();
  }

  async accounts(provider: string): Promise<readonly AccountInfo[]> {
    return (await this.#knownCredentials()).accounts(provider);
  }

  async secret(account: AccountRef): Promise<AccountSecret> {
    const known = await this.#knownCredentials();
    // The user may have signed in again since the file was written.
    if (known.credential(account.id) === undefined) await this.lookAgain();
    const before = usableCredential(known, account);
    if (!this.#mustRenew(before)) return secretUnlessExpired(before, this.#parts.deps.now());
    await this.#renew(account, (one) => !this.#mustRenew(one)).catch((error: unknown) => {
      // While the broker is down, a token that still works stays in use.
      if (!(error instanceof BrokerError) || isExpired(before, this.#parts.deps.now())) throw error;
    });
    return secretOf(usableCredential(known, account));
  }

  async refresh(account: AccountRef): Promise<AccountSecret> {
    const known = await this.#knownCredentials();
    const before = secretOf(usableCredential(known, account)).value;
    await this.#renew(account, (one) => secretOf(one).value !== before);
    return secretOf(usableCredential(known, account));
  }

  async report(account: AccountRef, report: AccountReport): Promise<void> {
    const { client, deps } = this.#parts;
    if (report.kind === "disabled") {
      const known = await this.#knownCredentials();
      return this.#change(known, [known.put(await client.disable(account.id, report.cause))]);
    }
    if (report.kind === "limit") {
      const { kind, until, reason } = report;
      this.#note(account, { limit: { until, reason } });
      return client.report(account.id, { kind, until, reason });
    }
    const rateLimit = usageFromHeaders(report.info, deps.now());
    this.#note(account, { rateLimit });
    return client.report(account.id, { kind: "rate_limit", windows: rateLimit.windows });
  }

  async standing({ id }: AccountRef, signal?: AbortSignal): Promise<AccountStanding> {
    const usage = signal?.aborted ? undefined : await this.#usage.get(signal);
    const told = (usage ?? this.#lastUsage)?.accounts.find((account) => account.id === id);
    const { limit, rateLimit } = this.#reported.get(id) ?? {};
    const until = Math.max(told?.limit?.until ?? 0, limit?.until ?? 0);
    const latest = limit?.until === until ? limit : told?.limit;
    const headers = [told?.rateLimit, rateLimit].reduce((a, b) => ((b?.at ?? 0) > (a?.at ?? 0) ? b : a));
    return {
      ...(latest && until > this.#parts.deps.now() ? { limit: latest } : {}),
      ...(told?.usage ? { usage: told.usage } : {}),
      ...(headers ? { rateLimit: headers } : {}),
    };
  }

  subscribe(listener: (change: AccountChange) => void): () => void {
    this.#listeners.add(listener);
    this.#endFollowing ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#endFollowing?.();
      this.#endFollowing = undefined;
    };
  }

  /** The known credentials: from the file if it is fresh, otherwise from the broker. */
  async #knownCredentials(): Promise<KnownCredentials> {
    const { now } = this.#parts.deps;
    if (this.#failure && now() - this.#failure.at < FAILED_FOR_MS) throw this.#failure.error;
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      this.#failure = { at: now(), error };
      throw error;
    }
  }

  async #open(): Promise<KnownCredentials> {
    const kept = this.#parts.cache.read();
    const known = new KnownCredentials(kept ?? (await this.#load()));
    this.#announceSecrets(known.snapshot().credentials);
    if (!kept) await this.#parts.cache.write(known.snapshot());
    return known;
  }

  async #load(): Promise<Snapshot> {
    const { client, cache } = this.#parts;
    try {
      const snapshot = await client.snapshot();
      this.#hasHeard = true;
      return snapshot;
    } catch (error) {
      if (error instanceof BrokerError && error.failure === "refused") await cache.remove();
      throw error;
    }
  }

  async #askUsage(): Promise<UsageReply | undefined> {
    try {
      this.#lastUsage = await this.#parts.client.usage();
      return this.#lastUsage;
    } catch {
      return undefined; // without a report, an account is chosen anyway
    }
  }

  #mustRenew(one: BrokerCredential | undefined): boolean {
    if (one?.credential.type !== "oauth" || !one.isRenewable) return false;
    const { expires } = one.credential;
    if (expires === undefined) return false;
    const renewedAt = this.#renewedAt.get(one.id);
    const margin = renewedAt === undefined ? MARGIN_MS : Math.min(MARGIN_MS, (expires - renewedAt) / 2);
    return expires - margin <= this.#parts.deps.now();
  }

  /** Concurrent callers share one renewal. */
  #renew(account: AccountRef, isEnough: (one: BrokerCredential) => boolean): Promise<void> {
    const { id } = account;
    const running = this.#renewing.get(id);
    if (running) return running;
    const renewing = this.#renewNow(account, isEnough).finally(() => this.#renewing.delete(id));
    this.#renewing.set(id, renewing);
    return renewing;
  }

  async #renewNow(account: AccountRef, isEnough: (one: BrokerCredential) => boolean): Promise<void> {
    const known = await this.#knownCredentials();
    if (!this.#hasHeard) {
      // The broker may have renewed it long ago.
      await this.lookAgain();
      const now = known.credential(account.id);
      if (now && isEnough(now)) return;
    }
    if (!known.credential(account.id)?.isRenewable) return;
    try {
      const become = await this.#parts.client.refresh(account.id);
      this.#renewedAt.set(account.id, this.#parts.deps.now());
      await this.#change(known, [known.put(become)]);
    } catch (error) {
      if (!(error instanceof BrokerError) || error.failure !== "unknown") throw error;
      await this.#change(known, [known.remove(account)]);
    }
  }

  #follow(): () => void {
    const { client, cache, deps } = this.#parts;
    return follow({
      ...deps,
      open: (signal, onLife) => client.stream(signal, onLife),
      take: async (event) => this.#applyEvent(event),
      onRefused: () => cache.remove(),
    });
  }

  /** Returns false if changes are missing. */
  async #applyEvent(event: StreamEvent): Promise<boolean> {
    const known = await (event.kind === "snapshot" ? this.#knownFrom(event.snapshot) : this.#knownCredentials());
    const changes = event.kind === "snapshot" ? known.replace(event.snapshot) : known.apply(event);
    if (changes === undefined) return false;
    if (event.kind === "snapshot") this.#hasHeard = true;
    await this.#change(known, changes);
    return true;
  }

  /** A broker that was down at first can be reached now. */
  #knownFrom(snapshot: Snapshot): Promise<KnownCredentials> {
    this.#failure = undefined;
    this.#opening ??= Promise.resolve(new KnownCredentials(snapshot));
    return this.#opening;
  }

  async #change(known: KnownCredentials, changes: readonly AccountChange[]): Promise<void> {
    const { cache } = this.#parts;
    this.#announceSecrets(changes.flatMap(({ id }) => known.credential(id) ?? []));
    for (const change of changes) for (const listener of this.#listeners) listener(change);
    await cache.write(known.snapshot());
  }

  #announceSecrets(credentials: readonly BrokerCredential[]): void {
    const { onSecret } = this.#parts;
    for (const { provider, credential } of credentials)
      onSecret(provider, credential.type === "api_key" ? credential.key : credential.access);
  }

  #note({ id }: AccountRef, standing: AccountStanding): void {
    this.#reported.set(id, { ...this.#reported.get(id), ...standing });
  }
}

function secretOf({ credential }: BrokerCredential): AccountSecret {
  if (credential.type === "api_key") return { kind: "key", value: credential.key };
  return { kind: "bearer", value: credential.access };
}

const isExpired = ({ credential }: BrokerCredential, now: number): boolean =>
  credential.type === "oauth" && credential.expires !== undefined && credential.expires <= now;

function secretUnlessExpired(one: BrokerCredential, now: number): AccountSecret {
  if (!isExpired(one, now)) return secretOf(one);
  throw new CliError(
    EXIT.provider,
    `The sign-in for ${one.provider} has expired, and the broker cannot renew it. Run: lathe auth-broker login ${one.provider}`,
  );
}

function usableCredential(known: KnownCredentials, { provider, id }: AccountRef): BrokerCredential {
  const credential = known.credential(id);
  if (credential) return credential;
  const disabled = known.disabled(id);
  const what =
    disabled === undefined
      ? `The credential of ${provider} was removed from the broker`
      : `The broker cannot use "${disabled.name}" of ${provider} any more: ${disabled.cause.replace(/\.$/, "")}`;
  throw new CliError(EXIT.provider, `${what}. Run: lathe auth-broker login ${provider}`);
}
