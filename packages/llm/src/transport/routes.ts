// How a request reaches its server: directly or through a proxy, and over which agent. Only requests with the same
// proxy and certificates share connections, certificates and TLS sessions.

import type { Agent } from "node:http";
import type { AgentOptions } from "node:https";
import type { SecureContext } from "node:tls";
import type { ClientDeps, TlsMaterial, TransportRequest } from "../types/adapter.ts";
import { ConfigurationError } from "../types/errors.ts";
import { AGENT_OPTIONS, type Connections, watchConnections } from "./agents.ts";
import { createTunnelAgent, proxyHeaders } from "./proxy.ts";
import { hasProxySettings, proxyFor } from "./proxy-rules.ts";
import { type Target, targetOf } from "./target.ts";
import { tlsOptions } from "./tls.ts";

export interface RouteOptions {
  readonly env: ClientDeps["env"];
  readonly now: ClientDeps["now"];
  /** PEM text of further authorities, added to the built-in ones. */
  readonly extraCa?: string;
}

/** The way that a request takes, and the headers that the other end of the connection needs. */
export interface Route {
  /** The server's origin, without user or path. */
  readonly origin: string;
  readonly connections: Connections;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a connection can be opened ahead; a tunnel needs a request of its own. */
  readonly canPrepare: boolean;
}

type Destination = Pick<TransportRequest, "url" | "tls" | "once"> & Partial<Pick<TransportRequest, "headers">>;

export interface Routes {
  to(destination: Destination): Route;
  /** Drops idle connections, and the others when their exchange is over. */
  close(): void;
}

export function createRoutes({ env, now, extraCa }: RouteOptions): Routes {
  const proxied = hasProxySettings(env);
  const kept = new Map<string, Connections>();

  const connectionsTo = (url: URL, proxy: URL | undefined, { tls, once }: Destination): Connections => {
    const isSecure = url.protocol === "https:";
    const material = isSecure ? withExtraCa(tls, extraCa) : undefined;
    const key = `${url.protocol} ${proxy?.href ?? ""} ${material === undefined ? "" : JSON.stringify(material)}`;
    const known = once ? undefined : kept.get(key);
    if (known !== undefined) {
      known.dropStale();
      return known;
    }
    const options: AgentOptions = {
      ...(once ? {} : AGENT_OPTIONS),
      ...(isSecure ? { ALPNProtocols: ["http/1.1"] } : {}),
      ...(material === undefined ? {} : { secureContext: contextOf(material, url.origin) }),
    };
    const agent =
      proxy !== undefined && isSecure
        ? createTunnelAgent(proxy, options)
        : createAgent((proxy ?? url).protocol, options);
    const connections = watchConnections(agent, options, now);
    if (!once) kept.set(key, connections);
    return connections;
  };

  return {
    to(destination) {
      const url = new URL(destination.url);
      const { protocol, origin, host } = url;
      if (protocol !== "http:" && protocol !== "https:")
        throw new ConfigurationError(`The address ${origin} is neither http nor https; only those work.`);
      const proxy = proxied ? proxyFor(url, env) : undefined;
      const connections = connectionsTo(url, proxy, destination);
      if (proxy !== undefined && protocol === "http:") {
        const target = { ...targetOf(proxy), path: url.href };
        return { origin, connections, target, headers: { host, ...proxyHeaders(proxy) }, canPrepare: true };
      }
      const target = targetOf(url, namedHost(destination));
      return { origin, connections, target, headers: { host }, canPrepare: proxy === undefined };
    },
    close() {
      for (const connections of kept.values()) connections.leave();
    },
  };
}

/** Not by `import`, because a program that only makes a client would have to load both. */
function createAgent(protocol: string, options: AgentOptions): Agent {
  return protocol === "https:"
    ? new (process.getBuiltinModule("node:https").Agent)(options)
    : new (process.getBuiltinModule("node:http").Agent)(options);
}

/** The host in the caller's own `host` header. */
function namedHost({ headers = {} }: Destination): string | undefined {
  const hostHeader = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1];
  return hostHeader?.replace(/:\d*$/, "");
}

function withExtraCa(tls: TlsMaterial | undefined, extraCa: string | undefined): TlsMaterial | undefined {
  if (extraCa === undefined) return tls;
  return { ...tls, ca: tls?.ca === undefined ? extraCa : `${tls.ca}\n${extraCa}` };
}

/** Made once per agent: reading all authorities for each connection takes longer than its handshake. */
function contextOf(material: TlsMaterial, origin: string): SecureContext {
  try {
    return process.getBuiltinModule("node:tls").createSecureContext(tlsOptions(material));
  } catch (cause) {
    const hint = "they must be PEM texts, and the key must fit the certificate.";
    throw new ConfigurationError(`The certificates or the key for ${origin} cannot be read; ${hint}`, { cause });
  }
}
