// Where Lathe keeps its files. LATHE_HOME moves all of them; Lathe writes nothing else below the user's home.

import { join, resolve } from "node:path";
import { usageError } from "../usage/exit.ts";

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly models: string;
  readonly auth: string;
  readonly trust: string;
  /** The answers that the user gave for each project, and when they expire. */
  readonly permissions: string;
  readonly sessions: string;
  readonly blobs: string;
  /** Locks of open sessions, by inode. */
  readonly locks: string;
  readonly terminalSessions: string;
  /** Sockets of sessions that other clients can join. */
  readonly doors: string;
  readonly cache: string;
  /** Isolated copies that runs work in. */
  readonly views: string;
  /** Changes that could not be applied. */
  readonly patches: string;
  /** Prompts the user typed, in all sessions. */
  readonly history: string;
  readonly settingsMemory: string;
  /** Names of the withheld variables that the user has already been told about. */
  readonly withheldMemory: string;
  /** Hashes of the tokens of `lathe serve`. */
  readonly serveTokens: string;
  /** Which served sessions are working. */
  readonly serveWork: string;
  /** Permission modes of served sessions, one file each. */
  readonly serveModes: string;
  /** Address of the server that was started last. */
  readonly serveAddress: string;
  /** The operator's token of the gateway. */
  readonly gatewayToken: string;
  /** Hashes of the gateway's client keys. */
  readonly gatewayKeys: string;
  /** The spending of these keys, one file per month. */
  readonly gatewayLedger: string;
  /** Address of the gateway that was started last. */
  readonly gatewayAddress: string;
  /** The broker's token, which its clients on this machine send too. */
  readonly brokerToken: string;
  /** The broker's credentials, its lock, and what it knows about their renewal and limits. */
  readonly broker: string;
}

export function homePaths(env: Readonly<Record<string, string | undefined>>, userHome: string): HomePaths {
  const home = resolve(env["LATHE_HOME"] || join(userHome, ".lathe"));
  // Nothing can be created there, and node's recursive mkdir never stops trying.
  if (home.startsWith("/proc/")) throw usageError(`${home} cannot be a folder for Lathe's files. Set LATHE_HOME.`);
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
