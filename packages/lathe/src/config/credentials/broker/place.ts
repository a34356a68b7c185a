// Which broker keeps the credentials of this run, and the token that it wants: variables before settings, before the token file. What a
// project brings has no say.

import { chmodSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readTextFile } from "../../../platform/home/json-file.ts";
import { usageError } from "../../../platform/usage/exit.ts";
import { variableName } from "./token-setting.ts";
import { BROKER_URL, CACHE_FILE, CACHE_TTL, BROKER_TOKEN as TOKEN } from "./variables.ts";

/** An hour. */
const USUAL_TTL_MS = 3_600_000;
const TOKEN_COMMAND = "lathe auth-broker token";

type Env = Readonly<Record<string, string | undefined>>;

/** What the user has said of a broker. */
export interface BrokerWords {
  /** Without the project's .env file. */
  readonly userEnv: Env;
  readonly settings: { readonly "auth.broker.url": string; readonly "auth.broker.token": string };
}

export interface BrokerPlaces extends BrokerWords {
  /** The token file of this home. */
  readonly tokenFile: string;
  /** Folder of caches of this home. */
  readonly cache: string;
  readonly cwd: string;
  /** Output of a command that the user wrote in the place of a value. */
  readonly runCommand: (command: string) => Promise<string>;
}

export interface BrokerPlace {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** For people: where the token came from. */
  readonly tokenSource: string;
  readonly cacheFile: string;
  /** How long a snapshot is good for, by the broker's clock; 0: none is kept. */
  readonly cacheTtlMs: number;
}

/** Whether the credentials are a broker's: what is wrong with its address or token is said when one is needed. */
export const hasBroker = ({ userEnv, settings }: BrokerWords): boolean =>
  Boolean(userEnv[BROKER_URL]?.trim()) || settings["auth.broker.url"] !== "";

export async function brokerPlace(places: BrokerPlaces): Promise<BrokerPlace> {
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

async function addressOf({ userEnv, settings, runCommand }: BrokerPlaces): Promise<string> {
  const named = userEnv[BROKER_URL]?.trim();
  const source = named ? BROKER_URL : "auth.broker.url";
  const written =
    named || (await resolvedSetting("auth.broker.url", settings["auth.broker.url"], { userEnv, runCommand }));
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

async function tokenFor(url: string, places: BrokerPlaces): Promise<Pick<BrokerPlace, "token" | "tokenSource">> {
  const { userEnv, settings, tokenFile } = places;
  const named = userEnv[TOKEN]?.trim();
  if (named) return { token: checked(named, TOKEN), tokenSource: TOKEN };
  const setting = settings["auth.broker.token"];
  if (setting !== "") {
    const token = await resolvedSetting("auth.broker.token", setting, places);
    return { token: checked(token, "auth.broker.token"), tokenSource: "auth.broker.token" };
  }
  const token = ownFile(tokenFile);
  if (token) return { token: checked(token, tokenFile), tokenSource: tokenFile };
  throw usageError(
    `The broker at ${url} needs a token: put what \`${TOKEN_COMMAND}\` prints there into ${tokenFile}, or set ${TOKEN}.`,
  );
}

/** The variable of this name, the output of `!command`, or the text itself. */
async function resolvedSetting(
  key: string,
  written: string,
  { userEnv, runCommand }: Pick<BrokerPlaces, "userEnv" | "runCommand">,
): Promise<string> {
  if (written.startsWith("!")) return runCommand(written.slice(1));
  const name = variableName(written);
  const named = userEnv[name ?? written]?.trim();
  if (named) return named;
  if (name !== undefined) throw usageError(`${key} names the variable ${name}, which is not set. Set it.`);
  return written;
}

function checked(token: string, source: string): string {
  if (/[^\x21-\x7e]/.test(token)) throw usageError(`${source} is not a token: a token has no spaces or line breaks.`);
  return token;
}

function ownFile(file: string): string | undefined {
  const text = readTextFile(file)?.trim();
  // Copied or restored with other rights: it is made private before it counts.
  if (text && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return text;
}

function ttlOf(env: Env): number {
  const written = env[CACHE_TTL]?.trim();
  if (!written) return USUAL_TTL_MS;
  if (/^\d{1,12}$/.test(written)) return Number(written);
  throw usageError(`${CACHE_TTL} must be a number of milliseconds, 0 for no cache, not "${written}".`);
}
