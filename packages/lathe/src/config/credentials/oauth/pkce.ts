// Authorisation code with PKCE: the browser is redirected to a loopback port of ours.

import { createHash, randomBytes } from "node:crypto";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { StoredCredential } from "../store.ts";
import { isSameText, type Waiting, waitForRedirect } from "./loopback.ts";
import type { OAuthRow } from "./rows.ts";
import { type Post, toCredential, toKey } from "./token.ts";

export interface BrowserFlow extends Waiting {
  readonly post: Post;
  readonly now: () => number;
  /** Shows the address, and opens it in a browser if possible. */
  readonly open: (url: string) => void;
}

export async function signInWithBrowser(row: OAuthRow, flow: BrowserFlow): Promise<StoredCredential> {
  if (!row.authorizeUrl) throw new CliError(EXIT.usage, `${row.label} has no browser sign-in.`);
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const challenge = {
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const { code, redirect } = await waitForCode(row, flow, state, (redirectUri) => {
    const url = new URL(row.authorizeUrl ?? "");
    const asking =
      row.gives === "key"
        ? { callback_url: redirectUri }
        : {
            response_type: "code",
            client_id: row.clientId,
            redirect_uri: redirectUri,
            scope: row.scopes.join(" "),
            state,
          };
    for (const [name, value] of Object.entries({ ...asking, ...challenge, ...row.parameters }))
      url.searchParams.set(name, value);
    return url.href;
  });
  if (row.gives === "key") {
    const proof = { code, code_verifier: verifier, code_challenge_method: challenge.code_challenge_method };
    return toKey(await flow.post(row.tokenUrl, proof, "json"), row.provider);
  }
  const reply = await flow.post(row.tokenUrl, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirect,
    client_id: row.clientId,
    code_verifier: verifier,
  });
  return toCredential(reply, { provider: row.provider, now: flow.now() });
}

/** If the issuer does not send the state back, the path of the redirect carries it. */
async function waitForCode(
  row: OAuthRow,
  flow: BrowserFlow,
  state: string,
  address: (redirectUri: string) => string,
): Promise<{ code: string; redirect: string }> {
  const givesKey = row.gives === "key";
  const { url, redirect } = await waitForRedirect({
    ...flow,
    port: row.redirectPort ?? 0,
    redirectAt: (port) =>
      givesKey ? `http://localhost:${port}/callback/${state}` : `http://127.0.0.1:${port}/callback`,
    isAnswer: ({ pathname, searchParams }) => {
      const [, page, inPath] = pathname.split("/");
      return page === "callback" && isSameText((givesKey ? inPath : searchParams.get("state")) ?? "", state);
    },
    begin: (redirectUri) => flow.open(address(redirectUri)),
    again: `lathe login ${row.provider}`,
  });
  const code = url.searchParams.get("code");
  if (code) return { code, redirect };
  const why = url.searchParams.get("error") ?? "no code was returned";
  throw new CliError(EXIT.provider, `Signing in failed: ${why}. Run: lathe login ${row.provider}`);
}
