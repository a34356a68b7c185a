// Assembles a broker: the vault and its lock, the renewal of tokens, the feed for clients, and the server.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { JournalError } from "@lathe/agent";
import { acquireLock, type JournalLock, processStartTime } from "@lathe/agent/record";
import { formSender } from "../../config/credentials/oauth/post.ts";
import { type OAuthRow, oauthRows } from "../../config/credentials/oauth/rows.ts";
import { AccountStandings } from "../../config/credentials/standings.ts";
import type { OpenAccount } from "../../config/credentials/store.ts";
import { askUsage } from "../../config/credentials/usage/ask-usage.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { Attempts } from "../http/attempts.ts";
import type { RunningServer } from "../http/guarded.ts";
import type { Limits, Tls } from "../http/listen.ts";
import type { OwnToken } from "../http/own-token.ts";
import { RenewalNotes } from "./renewal/renewal-notes.ts";
import { Renewals } from "./renewal/renewals.ts";
import { sweepOften } from "./renewal/sweep.ts";
import { stateOf } from "./reports/credential-states.ts";
import { startBroker } from "./server/broker.ts";
import { Feed } from "./server/feed.ts";
import { renewalLine, requestLine } from "./server/request-log.ts";
import { Streams } from "./server/streams.ts";
import { Vault } from "./vault/vault.ts";

export interface OpenBrokerOptions {
  readonly machine: Machine;
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly own: OwnToken;
  readonly limits?: Partial<Limits> | undefined;
  /** Receives whole lines. */
  readonly log: (line: string) => void;
  readonly warn: (message: string) => void;
}

/** How often we check the vault and the token: commands of the operator change them from other processes. */
const LOOK_MS = 1_000;

/** Files that belong to a vault. */
export const brokerFiles = (folder: string) => ({
  lock: join(folder, ".lock"),
  notes: join(folder, "renewals.json"),
  standings: join(folder, "accounts.json"),
  address: join(folder, "address"),
});

export async function openBroker(options: OpenBrokerOptions): Promise<RunningServer> {
  const { machine, version, own, log, warn } = options;
  const { env, userHome, deps } = machine;
  const { now, setTimer, fetch } = deps;
  const paths = homePaths(env, userHome);
  mkdirSync(paths.broker, { recursive: true, mode: 0o700 });
  const vault = new Vault(paths.broker);
  const files = brokerFiles(vault.folder);
  const rows = () => oauthRows(paths.home);
  await rows(); // a broken oauth.yml is reported at the start
  if (vault.makePrivate())
    warn(
      `Other users of this machine could read or replace the vault in ${vault.folder}. It is private again; change the keys in it if you do not trust them.`,
    );
  await vault.store.all();
  const lock = lockOf(files.lock, machine);
  vault.freeAllRoom();
  const notes = new RenewalNotes(files.notes);
  const renewals = new Renewals({
    ...{ vault, notes, rows, now, send: formSender(fetch) },
    onRenewal: (account, renewal) => {
      void feed.refresh().catch((error: unknown) => warn(unreadableText(error)));
      if (renewal.kind === "impossible") return;
      const outcome = renewal.kind === "failed" ? (`${renewal.of}_failed` as const) : renewal.kind;
      log(renewalLine({ at: now(), id: account.id, outcome }));
    },
  });
  const accounts = async (): Promise<readonly OpenAccount[]> => renewals.newest(await vault.store.all());
  const issuers = async (): Promise<ReadonlySet<string>> => new Set((await rows()).map(({ provider }) => provider));
  const feed = new Feed({ accounts, issuers, now });
  const streams = new Streams(feed, setTimer);
  const standings = standingsIn(files.standings, rows, deps);
  const states = async () => {
    const known = { issuers: await issuers(), notes: notes.all(), now: now() };
    return (await accounts()).map((one) =>
      stateOf(one, {
        ...known,
        isUnderWay: (id) => renewals.isUnderWay(id),
        diskProblem: (id) => renewals.diskProblem(id),
      }),
    );
  };
  const looking = checkOften({ vault, feed, streams, renewals, setTimer, warn });
  const sweeping = sweepOften({ accounts, rows, renewals, notes, now, setTimer, warn });
  const end = async (): Promise<void> => {
    looking.cancel();
    sweeping.cancel();
    // An issuer may be answering right now, and its token must not be lost.
    await renewals.whenIdle();
    for (const { provider } of await renewals.save())
      warn(
        `The new token of ${provider} could not be written. Make room, then run: lathe auth-broker login ${provider}`,
      );
    lock.release();
  };
  try {
    await feed.refresh();
    const server = await startBroker({
      ...options,
      parts: {
        ...{ version, vault, feed, renewals, standings, accounts, states, now, streams, own },
        attempts: new Attempts(now),
        log: (request) => log(requestLine(request)),
      },
    });
    return {
      url: server.url,
      close: async () => {
        await server.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function standingsIn(
  file: string,
  rows: () => Promise<readonly OAuthRow[]>,
  { now, random, fetch }: Machine["deps"],
): AccountStandings {
  return new AccountStandings({
    file,
    now,
    random,
    askUsage: async ({ provider }, secret) => {
      const row = (await rows()).find((one) => one.provider === provider);
      return row && askUsage(row, secret, { fetch, now });
    },
  });
}

interface Looking {
  readonly vault: Vault;
  readonly feed: Feed;
  readonly streams: Streams;
  readonly renewals: Renewals;
  readonly setTimer: Machine["deps"]["setTimer"];
  readonly warn: (message: string) => void;
}

function checkOften({ vault, feed, streams, renewals, setTimer, warn }: Looking): { cancel(): void } {
  let seen = vault.mark();
  let said = "";
  const look = async (): Promise<void> => {
    streams.check();
    await renewals.save();
    const mark = vault.mark();
    if (mark === seen) return;
    vault.makePrivate();
    await feed.refresh();
    seen = mark;
  };
  const go = (): void => {
    timer = setTimer(go, LOOK_MS);
    look().then(
      () => {
        said = "";
      },
      (error: unknown) => {
        // This repeats every second, so the same error is reported only once in a row.
        if (said !== unreadableText(error)) warn(unreadableText(error));
        said = unreadableText(error);
      },
    );
  };
  let timer = setTimer(go, LOOK_MS);
  return { cancel: () => timer.cancel() };
}

const unreadableText = (error: unknown): string => `The vault cannot be read: ${(error as Error).message}`;

/** Two brokers would serve two different states of one vault. */
function lockOf(path: string, { pid, host, deps }: Machine): JournalLock {
  try {
    return acquireLock(path, { pid, host, startTime: processStartTime(pid), token: deps.uuid() });
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "locked") throw error;
    throw usageError("Another broker of this vault is running. See: lathe auth-broker status");
  }
}
