// A link that signs one browser in. The code stands behind the `#`, which browsers keep to themselves.

import { type Grant, SCOPES, type TokenFile } from "./guard/token-file.ts";

/** It can be used once, and not for long. */
const LASTS_MS = 10 * 60_000;

export async function signInLink(url: string, tokens: TokenFile, grant: Grant = { scopes: SCOPES }): Promise<string> {
  return `${url}/#code=${await tokens.addCode(grant, LASTS_MS)}`;
}

/** Lets one browser look at one session, until the time is up. */
export async function lookLink(url: string, tokens: TokenFile, session: string, lastsMs: number): Promise<string> {
  return `${url}/#code=${await tokens.addCode({ scopes: ["read"], session }, lastsMs, lastsMs)}`;
}
