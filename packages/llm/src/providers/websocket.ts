// Whether a provider's answers come over a websocket, and how long we wait for it. The transport itself is loaded with
// its first request.

import { hasProxySettings } from "../transport/proxy-rules.ts";
import type { ClientDeps, Transport } from "../types/adapter.ts";
import type { WiringInput } from "./wiring.ts";

const DEFAULTS = { idleMs: 300_000, retryBudget: 5, retryDelayMs: 500 };

export function withWebsocket({ api, deps, options }: WiringInput): ClientDeps {
  const { env } = deps;
  const wished = /^(1|true)$/i.test(env["LATHE_CODEX_WEBSOCKET"] ?? "") && api === "openai-codex-responses";
  const preference = options.websocket ?? (wished ? "auto" : "off");
  const speaks = api === "openai-codex-responses" || api === "openai-responses";
  // Only the HTTP transport supports proxies.
  if (preference === "off" || !speaks || hasProxySettings(env)) return deps;
  const settings = {
    preference,
    idleMs: count(env["LATHE_CODEX_WEBSOCKET_IDLE_TIMEOUT_MS"], 1) ?? DEFAULTS.idleMs,
    retryBudget: count(env["LATHE_CODEX_WEBSOCKET_RETRY_BUDGET"], 0) ?? DEFAULTS.retryBudget,
    retryDelayMs: count(env["LATHE_CODEX_WEBSOCKET_RETRY_DELAY_MS"], 1) ?? DEFAULTS.retryDelayMs,
    http: deps.fetch,
    deps,
  } as const;
  let made: Promise<Transport> | undefined;
  const fetch: Transport = async (request) => {
    made ??= import("../transport/websocket.ts").then((module) => module.createWebsocketTransport(settings));
    return (await made)(request);
  };
  fetch.close = () => {
    if (made === undefined) deps.fetch.close?.();
    else void made.then((transport) => transport.close?.());
  };
  return { ...deps, fetch };
}

function count(text: string | undefined, least: number): number | undefined {
  const value = Number(text || undefined);
  return Number.isInteger(value) && value >= least ? value : undefined;
}
