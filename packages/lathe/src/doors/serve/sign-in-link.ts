// Links that sign a browser in. The code comes after the `#`, which browsers do not send.

import { type Grant, SCOPES, type TokenFile } from "./guard/token-file.ts";

/** A code works once, and only for this long. */
const LASTS_MS = 10 * 60_000;

export async function signInLink(url: string, tokens: TokenFile, grant: Grant = { scopes: SCOPES }): Promise<string> {
  return `${url}/#code=${await tokens.addCode(grant, LASTS_MS)}`;
}

/** Lets one browser watch one session for a limited time. */
export async function lookLink(url: string, tokens: TokenFile, session: string, lastsMs: number): Promise<string> {
  return `${url}/#code=${await tokens.addCode({ scopes: ["read"], session }, lastsMs, lastsMs)}`;
}
