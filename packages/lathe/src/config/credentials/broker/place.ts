// Finds the broker that keeps this run's credentials, and the token it wants: variables win over settings, settings
// over the token file. A project's files have no say in this.

import { chmodSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readTextFile } from "../../../platform/home/json-file.ts";
import { usageError } from "../../../platform/usage/exit.ts";
import { variableName } from "./token-setting.ts";
import { BROKER_URL, CACHE_FILE, CACHE_TTL, BROKER_TOKEN as TOKEN } from "./variables.ts";

/** One hour. */
const USUAL_TTL_MS = 3_600_000;
const TOKEN_COMMAND = "lathe auth-broker token";

type Env = Readonly<Record<string, string | undefined>>;

/** The user's settings for a broker. */
export interface BrokerConfig {
  /** Environment without the project's .env file. */
  readonly userEnv: Env;
  readonly settings: { readonly "auth.broker.url": string; readonly "auth.broker.token": string };
}

export interface BrokerSources extends BrokerConfig {
  /** The token file in Lathe's home. */
  readonly tokenFile: string;
  /** The cache folder in Lathe's home. */
  readonly cache: string;
  readonly cwd: string;
  /** Runs a command that the user wrote in place of a value, and returns its output. */
  readonly runCommand: (command: string) => Promise<string>;
}

export interface BrokerPlace {
  /** Address without a trailing slash. */
  readonly url: string;
  readonly token: string;
  /** Where the token came from, as shown to the user. */
  readonly tokenSource: string;
  readonly cacheFile: string;
  /** How long a snapshot may be used, by the broker's clock; with 0 none is kept. */
  readonly cacheTtlMs: number;
}

/** Whether a broker is configured. Errors in its address or token are reported when one of them is needed. */
export const hasBroker = ({ userEnv, settings }: BrokerConfig): boolean =>
  Boolean(userEnv[BROKER_URL]?.trim()) || settings["auth.broker.url"] !== "";

export async function brokerPlace(places: BrokerSources): Promise<BrokerPlace> {
  const url = await addressOf(places);
  const { token, tokenSource } = await tokenFor(url, places);
  const { userEnv, cache, cwd } = places;
  return {
    url,
    token,
    tokenSource,
    cacheFile: userEnv[CACHE_FILE]?.trim()
      ? resolve(cwd, userEnv[CACHE_FILE].trim())
      : `${cache}/auth-broker-snapshot.enc`,
    cacheTtlMs: ttlOf(userEnv),
  };
}

async function addressOf({ userEnv, settings, runCommand }: BrokerSources): Promise<string> {
  const named = userEnv[BROKER_URL]?.trim();
  const source = named ? BROKER_URL : "auth.broker.url";
  const written =
    named || (await resolveSetting("auth.broker.url", settings["auth.broker.url"], { userEnv, runCommand }));
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw usageError(
      `${source} is not the address of a broker. Give one such as https://broker.example:8765, or remove it.`,
    );
  if (url.protocol === "http:" && !isThisMachine(url.hostname))
    throw usageError(
      `${source} is http to another machine, where others could read your credentials. Use https, or forward the port over ssh to 127.0.0.1.`,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

const isThisMachine = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);

async function tokenFor(url: string, places: BrokerSources): Promise<Pick<BrokerPlace, "token" | "tokenSource">> {
  const { userEnv, settings, tokenFile } = places;
  const named = userEnv[TOKEN]?.trim();
  if (named) return { token: checkToken(named, TOKEN), tokenSource: TOKEN };
  const setting = settings["auth.broker.token"];
  if (setting !== "") {
    const token = await resolveSetting("auth.broker.token", setting, places);
    return { token: checkToken(token, "auth.broker.token"), tokenSource: "auth.broker.token" };
  }
  const token = readTokenFile(tokenFile);
  if (token) return { token: checkToken(token, tokenFile), tokenSource: tokenFile };
  throw usageError(
    `The broker at ${url} needs a token: run \`${TOKEN_COMMAND}\` on its machine and put the output into ${tokenFile}, or set ${TOKEN}.`,
  );
}

/** The variable with this name, the output of `!command`, or the text itself. */
async function resolveSetting(
  key: string,
  written: string,
  { userEnv, runCommand }: Pick<BrokerSources, "userEnv" | "runCommand">,
): Promise<string> {
  if (written.startsWith("!")) return runCommand(written.slice(1));
  const name = variableName(written);
  const named = userEnv[name ?? written]?.trim();
  if (named) return named;
  if (name !== undefined) throw usageError(`${key} names the variable ${name}, which is not set. Set it.`);
  return written;
}

function checkToken(token: string, source: string): string {
  if (/[^\x21-\x7e]/.test(token)) throw usageError(`${source} is not a token: a token has no spaces or line breaks.`);
  return token;
}

function readTokenFile(file: string): string | undefined {
  const text = readTextFile(file)?.trim();
  // The file may have been copied or restored with other permissions: make it private before using it.
  if (text && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return text;
}

function ttlOf(env: Env): number {
  const written = env[CACHE_TTL]?.trim();
  if (!written) return USUAL_TTL_MS;
  if (/^\d{1,12}$/.test(written)) return Number(written);
  throw usageError(`${CACHE_TTL} must be a number of milliseconds, 0 for no cache, not "${written}".`);
}
