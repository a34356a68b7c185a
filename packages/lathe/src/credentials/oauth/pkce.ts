// Authorisation code with PKCE: the browser comes back to a port of ours on loopback.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CliError, EXIT } from "../../usage/exit.ts";
import type { StoredCredential } from "../store.ts";
import type { OAuthRow } from "./rows.ts";
import { type Post, toCredential, toKey } from "./token.ts";

export interface BrowserFlow {
  readonly post: Post;
  readonly now: () => number;
  /** Shows the address, and opens it where that is possible. */
  readonly open: (url: string) => void;
  /** Lines of a person whose browser runs on another machine: the address that it could not open. */
  readonly pasted?: (signal: AbortSignal) => AsyncIterable<string>;
  readonly signal: AbortSignal;
  /** Milliseconds a person may take. */
  readonly patienceMs: number;
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

function waitForCode(
  row: OAuthRow,
  flow: BrowserFlow,
  state: string,
  address: (redirectUri: string) => string,
): Promise<{ code: string; redirect: string }> {
  return new Promise((resolve, reject) => {
    let redirect = "";
    const done = new AbortController();
    const stop = (): void => {
      done.abort();
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
      flow.signal.removeEventListener("abort", cancelled);
    };
    const cancelled = (): void => {
      stop();
      reject(new CliError(EXIT.interrupted, "Signing in was cancelled."));
    };
    const timer = setTimeout(() => {
      stop();
      reject(new CliError(EXIT.provider, `The sign-in timed out. Run: lathe login ${row.provider}`));
    }, flow.patienceMs);
    // Any program may connect to a loopback port: only a response to our own request is accepted. Where the issuer does not send
    // the state back, the path carries it.
    const isAnswer = (url: URL): boolean => {
      const [, page, inPath] = url.pathname.split("/");
      const answered = row.gives === "key" ? inPath : url.searchParams.get("state");
      return page === "callback" && sameText(answered ?? "", state);
    };
    const settle = (url: URL): void => {
      const code = url.searchParams.get("code");
      stop();
      const why = url.searchParams.get("error") ?? "no code was returned";
      if (code) resolve({ code, redirect });
      else reject(new CliError(EXIT.provider, `Signing in failed: ${why}. Run: lathe login ${row.provider}`));
    };
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", redirect);
      if (!isAnswer(url)) {
        response.writeHead(404).end("This is not the sign-in response we are waiting for.\n");
        return;
      }
      const code = url.searchParams.get("code");
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
      response.end(
        code ? "Signed in. You can close this page.\n" : "Signing in failed. You can close this page.\n",
        () => settle(url),
      );
    });
    server.once("error", (error) => {
      stop();
      reject(new CliError(EXIT.provider, `Cannot listen for the sign-in: ${error.message}. Try again.`));
    });
    server.listen(row.redirectPort ?? 0, "127.0.0.1", () => {
      const port = (server.address() as AddressInfo).port;
      redirect =
        row.gives === "key" ? `http://localhost:${port}/callback/${state}` : `http://127.0.0.1:${port}/callback`;
      flow.signal.addEventListener("abort", cancelled, { once: true });
      if (flow.signal.aborted) cancelled();
      else flow.open(address(redirect));
      void readPasted(flow, done.signal, (line) => {
        const url = URL.canParse(line) ? new URL(line) : undefined;
        if (url && isAnswer(url)) settle(url);
      });
    });
  });
}

async function readPasted(flow: BrowserFlow, signal: AbortSignal, take: (line: string) => void): Promise<void> {
  if (!flow.pasted || signal.aborted) return;
  for await (const line of flow.pasted(signal)) take(line.trim());
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
