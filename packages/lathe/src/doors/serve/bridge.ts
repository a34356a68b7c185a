// `--mode bridge` (G-18): the same server with its own token, over TLS in any case, and with every address of a session switched off. It
// answers whether it is there, what it offers (nothing yet) and who has the token.

import type { ClientDeps } from "@lathe/llm";
import { PROTOCOL_VERSION } from "../../hosts/rpc/frames.ts";
import { Attempts } from "../http/attempts.ts";
import { checkBearer } from "../http/bearer.ts";
import { type Answer, type Call, Router } from "../http/call.ts";
import { guarded, type RunningServer, serverAt } from "../http/guarded.ts";
import { certificateOf, LIMITS, listen, portOf, type Tls } from "../http/listen.ts";
import { Refused } from "../http/refused.ts";
import { hashOf, isSecret } from "../http/secrets.ts";
import type { Scope } from "./client.ts";

export interface BridgeOptions {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly tls: Tls;
  /** What a client may do once there is an endpoint that it may use. */
  readonly scopes: readonly Scope[];
  readonly deps: Pick<ClientDeps, "now">;
}

/** What a later version may switch on, each by itself. */
const ENDPOINTS = {
  events: false,
  commands: false,
  ownership: false,
  ui_responses: false,
  host_tool_results: false,
  host_uri_results: false,
} as const;

export async function startBridge(options: BridgeOptions): Promise<RunningServer> {
  const { host, tls } = options;
  const app = bridgeApp(options);
  const own = { scheme: "https", host, certificate: certificateOf(tls) } as const;
  const server = await listen(guarded(app, own), { host, port: options.port, tls, limits: LIMITS });
  return serverAt(server, own, portOf(server));
}

function bridgeApp({ version, token, scopes, deps }: BridgeOptions): Answer {
  const hash = hashOf(token);
  const attempts = new Attempts(deps.now);
  // The token is the operator's choice and may be short: guessing has to end.
  const checkToken = ({ incoming }: Call): void =>
    checkBearer(incoming, {
      attempts,
      isToken: (given) => isSecret(given, hash),
      advice: "Send the token of LATHE_BRIDGE_TOKEN in the Authorization header.",
    });
  const router = new Router();
  router.add("GET", "/v1/health", (call) => call.json({ ok: true, version, protocol: PROTOCOL_VERSION }));
  router.add("GET", "/v1/help", (call) => call.json({ endpoints: ENDPOINTS, next: "Sessions over HTTP: lathe serve" }));
  for (const method of ["GET", "POST"] as const)
    router.add(method, "/v1/handshake", (call) => {
      checkToken(call);
      // No scope is accepted while no endpoint is on.
      call.json({ version, protocol: PROTOCOL_VERSION, endpoints: ENDPOINTS, scopes, accepted_scopes: [] });
    });
  router.add("*", "/v1/*", (call) => {
    checkToken(call);
    throw new Refused(403, "endpoint_disabled", "This endpoint is switched off in bridge mode. Use: lathe serve");
  });
  return router.answer("There is nothing at this address. See: GET /v1/help");
}
