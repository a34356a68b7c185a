// A link that signs one browser in. The code stands behind the `#`, which browsers keep to themselves.

import { type Grant, SCOPES, type TokenFile } from "./guard/token-file.ts";

/** It can be used once, and not for long. */
const LASTS_MS = 10 * 60_000;

export async function signInLink(url: string, tokens: TokenFile, grant: Grant = { scopes: SCOPES }): Promise<string> {
  return `${url}/#code=${await tokens.addCode(grant, LASTS_MS)}`;
}
