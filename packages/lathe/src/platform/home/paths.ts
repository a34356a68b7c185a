// Where Lathe keeps its files. LATHE_HOME moves everything; nothing else is written below the user's home.

import { join, resolve } from "node:path";

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly models: string;
  readonly auth: string;
  readonly trust: string;
  /** What was allowed in which project, and until when. */
  readonly permissions: string;
  readonly sessions: string;
  readonly blobs: string;
  /** Of open sessions, by inode. */
  readonly locks: string;
  readonly terminalSessions: string;
  /** Sockets of sessions that others can join. */
  readonly doors: string;
  readonly cache: string;
  /** Views that runs work in. */
  readonly views: string;
  /** Changes that could not be landed. */
  readonly patches: string;
  /** Prompts that were typed, over all sessions. */
  readonly history: string;
  readonly settingsMemory: string;
  /** Names of variables that were said to be withheld. */
  readonly withheldMemory: string;
  /** Hashes of the tokens of `lathe serve`. */
  readonly serveTokens: string;
  /** Which served sessions are working. */
  readonly serveWork: string;
  /** Permission modes of served sessions, a file each. */
  readonly serveModes: string;
  /** Where the server listens that was started last. */
  readonly serveAddress: string;
  /** The operator's token of the gateway. */
  readonly gatewayToken: string;
  /** Hashes of its client keys. */
  readonly gatewayKeys: string;
  /** What they have spent, a file a month. */
  readonly gatewayLedger: string;
  /** Where the gateway listens that was started last. */
  readonly gatewayAddress: string;
  /** The token of the broker: its own, and what its clients on this machine send. */
  readonly brokerToken: string;
  /** The broker's credentials, its lock, and what is known of their renewal and their limits. */
  readonly broker: string;
}

export function homePaths(env: Readonly<Record<string, string | undefined>>, userHome: string): HomePaths {
  const home = resolve(env["LATHE_HOME"] || join(userHome, ".lathe"));
  return {
    home,
    config: `${home}/config.yml`,
    models: `${home}/models.yml`,
    auth: `${home}/auth.json`,
    trust: `${home}/trust.json`,
    permissions: `${home}/permissions.json`,
    sessions: `${home}/sessions`,
    blobs: `${home}/blobs`,
    locks: `${home}/locks`,
    terminalSessions: `${home}/terminal-sessions`,
    doors: `${home}/doors`,
    cache: `${home}/cache`,
    views: `${home}/views`,
    patches: `${home}/patches`,
    history: `${home}/history.db`,
    settingsMemory: `${home}/cache/settings.json`,
    withheldMemory: `${home}/cache/withheld-variables`,
    serveTokens: `${home}/serve/tokens.json`,
    serveWork: `${home}/serve/working`,
    serveModes: `${home}/serve/modes`,
    serveAddress: `${home}/serve/address`,
    gatewayToken: `${home}/auth-gateway.token`,
    gatewayKeys: `${home}/gateway/keys.json`,
    gatewayLedger: `${home}/gateway/ledger`,
    gatewayAddress: `${home}/gateway/address`,
    brokerToken: `${home}/auth-broker.token`,
    broker: `${home}/broker`,
  };
}
