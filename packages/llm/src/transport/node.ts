// HTTP with keep-alive. One call, one exchange: no redirects, no retries, no opinion on status. What goes straight to its
// server goes over a client of our own, which is loaded sooner than node:http; what needs a proxy over node's agents.

import type { ClientDeps, TlsMaterial, Transport } from "../types/adapter.ts";
import { AbortError } from "../types/errors.ts";
import { addressOf } from "./http1/address.ts";
import { createDirectClient } from "./http1/client.ts";
import type { ProxiedClient } from "./proxied.ts";
import { hasProxySettings, proxyFor } from "./proxy-rules.ts";
import { withUserInfo } from "./user-info.ts";

export interface NodeTransportOptions {
  readonly env: ClientDeps["env"];
  readonly setTimer: ClientDeps["setTimer"];
  readonly now: ClientDeps["now"];
  /** PEM text of further authorities, added to the built-in ones. */
  readonly extraCa?: string;
}

export function createNodeTransport({ env, setTimer, now, extraCa }: NodeTransportOptions): Transport {
  const proxied = hasProxySettings(env);
  const direct = createDirectClient({ setTimer, now });
  let viaProxy: ProxiedClient | undefined;

  const transport: Transport = async (given) => {
    const request = withUserInfo(given);
    if (request.signal?.aborted) throw new AbortError("The request was aborted before it was sent.");
    const material = withExtraCa(request.tls, extraCa);
    const proxy = proxied ? proxyFor(new URL(request.url), env) : undefined;
    if (proxy === undefined) return direct.send(request, addressOf(request.url), material);
    const { createProxiedClient } = await import("./proxied.ts");
    viaProxy ??= createProxiedClient(setTimer);
    return viaProxy.send(request, new URL(request.url), proxy, material);
  };
  transport.close = () => {
    direct.close();
    viaProxy?.close();
  };
  return transport;
}

function withExtraCa(tls: TlsMaterial | undefined, extraCa: string | undefined): TlsMaterial | undefined {
  if (extraCa === undefined) return tls;
  return { ...tls, ca: tls?.ca === undefined ? extraCa : `${tls.ca}\n${extraCa}` };
}
