// `--mode bridge` (G-18): the same server with its own token, always over TLS. All session routes are disabled, except
// those of gates if the operator has enabled them.

import type { ClientDeps } from "@lathe/llm";
import { PROTOCOL_VERSION } from "../../../hosts/rpc/frames.ts";
import { Attempts } from "../../http/attempts.ts";
import { checkBearer } from "../../http/bearer.ts";
import { type Answer, type Call, Router } from "../../http/call.ts";
import { type RunningServer, serverAt, withOriginCheck } from "../../http/guarded.ts";
import { certificateOf, LIMITS, listen, portOf, type Tls } from "../../http/listen.ts";
import { Refused } from "../../http/refused.ts";
import { hashOf, isSecret } from "../../http/secrets.ts";
import type { Scope } from "../client.ts";
import { refusalOf } from "../http/failure.ts";
import type { ServedSessions } from "../sessions/served-sessions.ts";
import { gateEndpoints } from "./gate-endpoints.ts";

export interface BridgeOptions {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly tls: Tls;
  /** What a client may do at the enabled routes. */
  readonly scopes: readonly Scope[];
  /** The sessions whose gates are answered here; absent if gates are disabled. */
  readonly sessions?: ServedSessions | undefined;
  readonly deps: Pick<ClientDeps, "now" | "setTimer">;
}

export async function startBridge(options: BridgeOptions): Promise<RunningServer> {
  const { host, tls } = options;
  const app = bridgeApp(options);
  const own = { scheme: "https", host, certificate: certificateOf(tls) } as const;
  const server = await listen(withOriginCheck(app, own), { host, port: options.port, tls, limits: LIMITS });
  return serverAt(server, own, portOf(server));
}

function bridgeApp({ version, token, scopes, sessions, deps }: BridgeOptions): Answer {
  const hash = hashOf(token);
  const attempts = new Attempts(deps.now);
  const hasGates = sessions !== undefined;
  const endpoints = {
    events: hasGates,
    commands: false,
    ownership: hasGates,
    ui_responses: hasGates,
    host_tool_results: false,
    host_uri_results: false,
  };
  // Accept only scopes that some route needs.
  const accepted = hasGates ? scopes.filter((scope) => scope === "read" || scope === "approve") : [];
  // The operator chooses the token, so it may be short and guessing must be cut off.
  const checkToken = ({ incoming }: Call): void =>
    checkBearer(incoming, {
      attempts,
      isToken: (given) => isSecret(given, hash),
      advice: "Send the token of LATHE_BRIDGE_TOKEN in the Authorization header.",
    });
  const router = new Router(refusalOf);
  router.add("GET", "/v1/health", (call) => call.json({ ok: true, version, protocol: PROTOCOL_VERSION }));
  router.add("GET", "/v1/help", (call) => call.json({ endpoints, next: "Sessions over HTTP: lathe serve" }));
  for (const method of ["GET", "POST"] as const)
    router.add(method, "/v1/handshake", (call) => {
      checkToken(call);
      call.json({ version, protocol: PROTOCOL_VERSION, endpoints, scopes, accepted_scopes: accepted });
    });
  for (const { method, path, scope, handle } of sessions ? gateEndpoints({ sessions, scopes, deps }) : [])
    router.add(method, `/v1/sessions/{sessionId}/${path}`, (call) => {
      checkToken(call);
      checkScope(scopes, scope);
      return handle(call);
    });
  router.add("*", "/v1/*", (call) => {
    checkToken(call);
    throw new Refused(403, "endpoint_disabled", "This endpoint is switched off in bridge mode. Use: lathe serve");
  });
  return router.answer("There is nothing at this address. See: GET /v1/help");
}

/** Every other scope includes `read`. */
function checkScope(scopes: readonly Scope[], needed: Scope): void {
  if (needed === "read" || scopes.includes(needed) || scopes.includes("admin")) return;
  throw new Refused(
    403,
    "wrong_scope",
    `This needs the scope ${needed}. Start the bridge with LATHE_BRIDGE_SCOPES=${[...scopes, needed].join(",")}.`,
  );
}
