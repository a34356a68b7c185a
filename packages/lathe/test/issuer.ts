// An OAuth issuer stub on loopback: PKCE, device flow, refresh tokens that work once.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Issuer {
  server: Server;
  url: string;
  forms: Record<string, string>[];
  pendingPolls: number;
  /** Seconds between polls. */
  interval: number;
  /** Lifetime of a token in seconds. */
  lifetime: number;
  /** Refresh tokens that still work; each works once. */
  valid: Set<string>;
}

export async function startIssuer(): Promise<Issuer> {
  let challenge = "";
  let issued = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", state.url);
    let body = "";
    for await (const chunk of request) body += chunk;
    const isJson = request.headers["content-type"] === "application/json";
    const form: Record<string, string> = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    state.forms.push(form);
    const json = (value: object, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (url.pathname === "/authorize") {
      challenge = url.searchParams.get("code_challenge") ?? "";
      const back = new URL(url.searchParams.get("redirect_uri") ?? url.searchParams.get("callback_url") ?? "");
      back.searchParams.set("code", "code-1");
      const sent = url.searchParams.get("state");
      if (sent !== null) back.searchParams.set("state", sent);
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    if (url.pathname === "/device") {
      challenge = form["code_challenge"] ?? "";
      json({
        device_code: "device-1",
        user_code: "WDJB-MJHT",
        verification_uri: `${state.url}/activate`,
        interval: state.interval,
        expires_in: 60,
      });
      return;
    }
    if (form["device_code"] && state.pendingPolls-- > 0) return json({ error: "authorization_pending" }, 400);
    if (form["grant_type"] === "refresh_token") {
      if (!state.valid.delete(form["refresh_token"] ?? "")) return json({ error: "invalid_grant" }, 400);
    } else if (
      createHash("sha256")
        .update(form["code_verifier"] ?? "")
        .digest("base64url") !== challenge
    ) {
      return json({ error: "invalid_grant", error_description: "the verifier does not fit" }, 400);
    }
    issued++;
    if (url.pathname === "/keys") return json({ key: `key-${issued}` });
    state.valid.add(`refresh-${issued}`);
    json({ access_token: `access-${issued}`, refresh_token: `refresh-${issued}`, expires_in: state.lifetime });
  });
  const state: Issuer = { server, url: "", forms: [], pendingPolls: 0, interval: 1, lifetime: 3600, valid: new Set() };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}
