// The handlers of the broker's routes.

import { Checker } from "@lathe/llm/schema";
import {
  type BrokerCredential,
  type DisabledCredential,
  disableRequest,
  type NewCredential,
  newCredential,
  type ReportRequest,
  reportRequest,
  type UsageReply,
} from "../../../config/credentials/broker/wire.ts";
import type { AccountRef, AccountSecret } from "../../../config/credentials/source.ts";
import type { AccountStandings } from "../../../config/credentials/standings.ts";
import type { OpenAccount, StoredCredential } from "../../../config/credentials/store.ts";
import { secretsOf } from "../../../config/credentials/stored-accounts.ts";
import { printableLine } from "../../../sessions/list.ts";
import { MOST_BYTES, readBody } from "../../http/body.ts";
import type { Call } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import type { Renewals } from "../renewal/renewals.ts";
import type { CredentialState } from "../reports/credential-states.ts";
import type { Vault } from "../vault/vault.ts";
import type { Feed } from "./feed.ts";

export interface HandlerParts {
  readonly version: string;
  readonly vault: Vault;
  readonly feed: Feed;
  readonly renewals: Renewals;
  readonly standings: AccountStandings;
  readonly accounts: () => Promise<readonly OpenAccount[]>;
  readonly states: () => Promise<readonly CredentialState[]>;
  readonly now: () => number;
}

type Handler = (call: Call, parts: HandlerParts) => Promise<unknown>;

const NEW = new Checker(newCredential, { acceptsUnknown: true, hidesValues: true });
const DISABLE = new Checker(disableRequest, { acceptsUnknown: true, hidesValues: true });
const REPORT = new Checker(reportRequest, { acceptsUnknown: true, hidesValues: true });

/** A provider's id becomes part of ids, file names and a remote command. */
export const PROVIDER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
export const ACCOUNT_NAME = /^[\w.@+-]{1,64}$/;
const NOT_SENDABLE = /[^\x21-\x7e]/;
const MOST_CAUSE = 200;

export const snapshot: Handler = async (_call, { feed }) => {
  await feed.refresh();
  return feed.snapshot();
};

export const usage: Handler = async (_call, { accounts, standings, now }): Promise<UsageReply> => {
  const known = (await accounts()).map(async ({ info, credential }) => {
    const { provider, id, name } = info;
    // Do not send a token that the issuer has disabled to the vendor.
    const signal = info.disabled === undefined ? undefined : AbortSignal.abort();
    const { limit, usage, rateLimit } = await standings.of(info, async () => secretOf(credential), signal);
    return {
      ...{ provider, id, name },
      ...(limit === undefined ? {} : { limit }),
      ...(usage === undefined ? {} : { usage: { at: usage.at, windows: [...usage.windows] } }),
      ...(rateLimit === undefined ? {} : { rateLimit: { at: rateLimit.at, windows: [...rateLimit.windows] } }),
    };
  });
  return { generatedAt: now(), accounts: await Promise.all(known) };
};

export const status: Handler = async (_call, { states, version }) => ({ version, credentials: await states() });

export const add: Handler = async (call, { vault, feed, accounts }) => {
  const given = await bodyAs(call, NEW);
  const { provider, name } = given;
  if (!PROVIDER.test(provider))
    throw new Refused(400, "bad_provider", "A provider has at most 100 characters: letters, digits and . _ -");
  if (!ACCOUNT_NAME.test(name))
    throw new Refused(
      400,
      "bad_name",
      "The name of an account has at most 64 characters: letters, digits and . _ @ + -",
    );
  const credential = credentialOf(given);
  // Every client puts it into request headers.
  if (secretsOf(credential).some((secret) => NOT_SENDABLE.test(secret)) || secretsOf(credential).length === 0)
    throw new Refused(400, "bad_secret", "A key or a token contains no spaces or line breaks, and is not empty.");
  const same = (await accounts()).find(
    ({ info, credential: stored }) =>
      info.provider === provider && info.name === name && info.disabled === undefined && isSame(stored, credential),
  );
  if (!same) await vault.store.set(provider, credential, name);
  await feed.refresh();
  const stored = (await vault.store.accounts(provider)).find((one) => one.name === name);
  return usable(stored && feed.find(stored.id));
};

export const refresh: Handler = async (call, { feed, renewals }) => {
  const account = await accountOf(call, feed);
  const renewal = await renewals.renew(account);
  await feed.refresh();
  if (renewal.kind === "failed")
    throw renewal.of === "issuer"
      ? new Refused(502, "issuer_failed", `The token could not be renewed: ${renewal.cause}. Try again later.`, 60)
      : new Refused(503, "vault_failed", `The broker cannot write its vault: ${renewal.cause}. Tell its operator.`, 60);
  if (renewal.kind === "impossible" && (renewal.why === "no_refresh_token" || renewal.why === "no_issuer"))
    throw new Refused(
      409,
      "not_renewable",
      `The broker cannot renew this token. Run where the broker is: lathe auth-broker login ${account.provider}`,
    );
  return usable(feed.find(account.id));
};

export const disable: Handler = async (call, { vault, feed, now }) => {
  const { cause } = await bodyAs(call, DISABLE);
  const account = await accountOf(call, feed);
  const said = printableLine(cause).slice(0, MOST_CAUSE);
  if (said === "") throw new Refused(400, "bad_cause", "Give the reason in cause.");
  await vault.store.disable(account, said, now());
  await feed.refresh();
  return usable(feed.find(account.id));
};

export const report: Handler = async (call, { standings, feed }) => {
  const given = await bodyAs(call, REPORT);
  await noteOf(standings, await accountOf(call, feed), given);
  return { ok: true };
};

function noteOf(standings: AccountStandings, account: AccountRef, given: ReportRequest): Promise<void> {
  if (given.kind === "rate_limit") return standings.noteWindows(account, given.windows);
  const reason = printableLine(given.reason).slice(0, MOST_CAUSE);
  return standings.note(account, { kind: "limit", until: given.until, reason });
}

async function bodyAs<T>(call: Call, checker: Checker<T>): Promise<T> {
  const body = await readBody(call.incoming, MOST_BYTES);
  const wrong = checker.wrongIn(body);
  if (wrong !== undefined) throw new Refused(400, "bad_request", `The body is not valid: ${wrong}`);
  return body as T;
}

/** The account that the address names. The error does not repeat the id: it may be a pasted token. */
async function accountOf(call: Call, feed: Feed): Promise<AccountRef> {
  await feed.refresh();
  const found = feed.find(call.params["id"] ?? "");
  if (found) return { provider: found.provider, id: found.id };
  throw new Refused(404, "unknown_credential", "The broker has no such credential. See: GET /v1/snapshot");
}

/** An account that was just removed is unknown like any other. */
function usable(found: BrokerCredential | DisabledCredential | undefined): BrokerCredential | DisabledCredential {
  if (found) return found;
  throw new Refused(404, "unknown_credential", "The credential was removed in the meantime.");
}

function credentialOf({ credential, identity }: NewCredential): StoredCredential {
  if (credential.type === "api_key") return { type: "api_key", key: credential.key };
  const { access, refresh, expires } = credential;
  return {
    type: "oauth",
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(expires === undefined ? {} : { expires }),
    ...(identity === undefined ? {} : { account: printableLine(identity).slice(0, MOST_CAUSE) }),
  };
}

function isSame(a: StoredCredential, b: StoredCredential): boolean {
  if (a.type === "api_key") return b.type === "api_key" && a.key === b.key;
  return b.type === "oauth" && a.access === b.access && a.refresh === b.refresh;
}

const secretOf = (credential: StoredCredential): AccountSecret =>
  credential.type === "api_key" ? { kind: "key", value: credential.key } : { kind: "bearer", value: credential.access };
