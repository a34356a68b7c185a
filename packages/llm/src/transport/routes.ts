// Which way a request goes: straight to its server or through a proxy, and over which agent. Connections, certificates and
// TLS sessions are shared by requests with the same proxy and certificates only.

import type { Agent, RequestOptions } from "node:http";
import type { ConnectionOptions, SecureContext } from "node:tls";
import type { ClientDeps, TlsMaterial, TransportRequest } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import { AGENT_OPTIONS, type Connections, watchIdle } from "./agents.ts";
import { createTunnelAgent, parseProxy, proxyHeaders } from "./proxy.ts";
import { hasProxySettings, proxyFor } from "./proxy-rules.ts";
import { targetOf, withoutBrackets } from "./target.ts";
import { tlsOptions } from "./tls.ts";

export interface RouteOptions {
  readonly env: ClientDeps["env"];
  readonly now: ClientDeps["now"];
  /** PEM text of further authorities, added to the built-in ones. */
  readonly extraCa?: string;
}

/** What a request goes out through, and what the other end of the connection must be told. */
export interface Route {
  /** Of the server, without user or path. */
  readonly origin: string;
  readonly agent: Agent;
  readonly target: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** The agent hands out connections whose handshakes are over. */
  readonly tunnelled: boolean;
  /** Closes connections of the agent that wait for a request. */
  readonly dropIdle: () => void;
}

export interface Routes {
  to(request: TransportRequest): Route;
  /** Drops idle connections. */
  close(): void;
}

export function createRoutes({ env, now, extraCa }: RouteOptions): Routes {
  const proxied = hasProxySettings(env);
  const kept = new Map<string, Connections>();

  const connectionsFor = (key: string, make: () => Agent): Connections => {
    let connections = kept.get(key);
    if (connections === undefined) {
      connections = watchIdle(make(), now);
      kept.set(key, connections);
    } else connections.dropStale();
    return connections;
  };

  return {
    to(request) {
      const url = new URL(request.url);
      const { protocol, origin, host } = url;
      if (protocol !== "http:" && protocol !== "https:")
        throw new ConfigurationError(`The address ${origin} is neither http nor https; only those work.`);
      const isSecure = protocol === "https:";
      const material = isSecure ? withExtraCa(request.tls, extraCa) : undefined;
      const proxy = proxied ? proxyFor(url, env) : undefined;
      const key = `${protocol} ${proxy ?? ""} ${material === undefined ? "" : JSON.stringify(material)}`;
      const options = request.once ? {} : AGENT_OPTIONS;
      const make = (): Agent => {
        const proxyUrl = proxy === undefined ? undefined : parseProxy(proxy);
        if (!isSecure) return createAgent(proxyUrl?.protocol ?? protocol, options);
        const security = securityFor(material, origin);
        if (proxyUrl !== undefined) return createTunnelAgent(proxyUrl, options, security);
        return createAgent(protocol, { ...options, ...security, ALPNProtocols: ["http/1.1"] });
      };
      const { agent, dropIdle } = request.once ? watchIdle(make(), now) : connectionsFor(key, make);
      if (proxy !== undefined && !isSecure) {
        const proxyUrl = parseProxy(proxy);
        const target = { ...targetOf(proxyUrl), path: url.href };
        return { origin, agent, target, headers: { host, ...proxyHeaders(proxyUrl) }, tunnelled: false, dropIdle };
      }
      const target = { ...targetOf(url), ...(isSecure ? { servername: serverName(request, url) } : {}) };
      return { origin, agent, target, headers: { host }, tunnelled: proxy !== undefined, dropIdle };
    },
    close() {
      for (const connections of kept.values()) connections.dropIdle();
    },
  };
}

/** Not by `import`: a program that only makes a client would wait for both. */
function createAgent(protocol: string, options: ConnectionOptions): Agent {
  return protocol === "https:"
    ? new (process.getBuiltinModule("node:https").Agent)(options)
    : new (process.getBuiltinModule("node:http").Agent)(options);
}

/**
 * The name the certificate is asked for; empty for addresses, which TLS cannot ask for. Who asks another name of a server
 * wants its certificate for that name, too.
 */
function serverName({ headers }: TransportRequest, { hostname }: URL): string {
  const asked = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1];
  const name = withoutBrackets(asked?.replace(/:\d*$/, "") ?? hostname);
  return process.getBuiltinModule("node:net").isIP(name) === 0 ? name : "";
}

function withExtraCa(tls: TlsMaterial | undefined, extraCa: string | undefined): TlsMaterial | undefined {
  if (extraCa === undefined) return tls;
  return { ...tls, ca: tls?.ca === undefined ? extraCa : `${tls.ca}\n${extraCa}` };
}

/** Made once an agent: reading all authorities for each connection takes longer than its handshake. */
function securityFor(material: TlsMaterial | undefined, origin: string): { secureContext?: SecureContext } {
  if (material === undefined) return {};
  try {
    return { secureContext: process.getBuiltinModule("node:tls").createSecureContext(tlsOptions(material)) };
  } catch (cause) {
    const hint = "they must be PEM texts, and the key must fit the certificate.";
    throw new ConfigurationError(`The certificates or the key for ${origin} cannot be read; ${hint}`, { cause });
  }
}
