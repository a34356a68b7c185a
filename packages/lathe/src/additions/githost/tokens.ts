// The tokens of git hosts: from the user's variables, or from the login of `gh`. Each is sent only to its own host.

import { createHash } from "node:crypto";
import { isJsonObject } from "@lathe/llm";
import { parse } from "yaml";
import { readIfReadable } from "../../platform/home/small-file.ts";
import type { GitHost } from "./hosts.ts";
import { ENTERPRISE, GITHUB, GITLAB, type Variables } from "./token-names.ts";

/** Tokens by host; "" for a token that gh keeps in the system's keyring. */
export function ghLogins(file: string): ReadonlyMap<string, string> {
  const text = readIfReadable(file);
  const logins = new Map<string, string>();
  let hosts: unknown;
  try {
    hosts = text === undefined ? undefined : parse(text);
  } catch {
    return logins; // gh itself reports problems of its file
  }
  for (const [host, entry] of Object.entries(isJsonObject(hosts) ? hosts : {})) {
    const token = isJsonObject(entry) ? entry["oauth_token"] : undefined;
    logins.set(host.toLowerCase(), typeof token === "string" ? token : "");
  }
  return logins;
}

export interface TokenPlaces {
  readonly env: Variables;
  readonly logins: ReadonlyMap<string, string>;
  /** The server that GITHUB_TOKEN is for; a CI runner names it. */
  readonly mainServer: string;
  /** Asks `gh` for a token that it keeps in the keyring. */
  askGh(host: string): Promise<string | undefined>;
}

export async function tokenFor(host: GitHost, places: TokenPlaces): Promise<string | undefined> {
  const names = host.kind === "gitlab" ? GITLAB : isPublic(host, places) ? GITHUB : ENTERPRISE;
  const named = names.map((name) => places.env[name]).find((value) => value);
  if (named !== undefined || host.kind === "gitlab") return named;
  const login = places.logins.get(host.name);
  return login === "" ? places.askGh(host.name) : login;
}

const isPublic = ({ name }: GitHost, { mainServer }: TokenPlaces): boolean =>
  name === "github.com" || name === mainServer || name.endsWith(".ghe.com");

/** Tells a user who has no token how to set one. */
export const tokenAdvice = ({ kind, name }: GitHost): string => {
  if (kind === "gitlab") return "Set GITLAB_TOKEN.";
  if (name === "github.com") return "Set GITHUB_TOKEN, or run `gh auth login`.";
  return `Set GITHUB_ENTERPRISE_TOKEN, or run \`gh auth login --hostname ${name}\`.`;
};

/** Distinguishes tokens without holding one. */
export const fingerprintOf = (token: string | undefined): string =>
  token === undefined ? "public" : createHash("sha256").update(`lathe git host ${token}`).digest("hex").slice(0, 16);
