// Requests through a proxy: absolute-form for http targets, a CONNECT tunnel for https ones.

import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { networkError } from "../errors/network.ts";
import type { TlsMaterial } from "../types/adapter.ts";
import { ConfigurationError, NetworkError } from "../types/errors.ts";
import { tlsOptions } from "./tls.ts";

/** What a request goes out through: an agent, and the target as the agent's peer must see it. */
export interface Route {
  readonly agent: http.Agent;
  readonly target: http.RequestOptions;
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent hands out sockets whose handshakes are over. */
  readonly tunnelled?: boolean;
}

/** What an agent of ours gets to see of a request. */
export interface ConnectOptions extends http.RequestOptions {
  /** Fires when nobody waits for the connection any more. */
  readonly abandoned?: AbortSignal;
}

type AgentFor = (key: string, make: () => http.Agent) => http.Agent;

const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 16 } as const;

export function proxyRoute(url: URL, proxy: string, material: TlsMaterial | undefined, agentFor: AgentFor): Route {
  const proxyUrl = parseProxy(proxy);
  const key = `${proxy} ${url.protocol}${material === undefined ? "" : JSON.stringify(material)}`;
  if (url.protocol === "https:") {
    const agent = agentFor(key, () => new TunnelAgent(proxyUrl, material));
    return { agent, target: targetOf(url), tunnelled: true };
  }
  const agent = agentFor(key, () =>
    proxyUrl.protocol === "https:" ? new https.Agent(AGENT_OPTIONS) : new http.Agent(AGENT_OPTIONS),
  );
  return {
    agent,
    target: { ...targetOf(proxyUrl), path: url.href },
    headers: { host: url.host, ...authorization(proxyUrl) },
  };
}

function targetOf(url: URL): http.RequestOptions {
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    ...(url.port === "" ? {} : { port: url.port }),
    path: url.pathname + url.search,
  };
}

class TunnelAgent extends https.Agent {
  readonly #proxy: URL;
  readonly #secure: ReturnType<typeof tlsOptions>;

  constructor(proxy: URL, material: TlsMaterial | undefined) {
    super(AGENT_OPTIONS);
    this.#proxy = proxy;
    this.#secure = material === undefined ? {} : tlsOptions(material);
  }

  override createConnection(
    options: http.ClientRequestArgs & ConnectOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const host = options.hostname ?? options.host ?? "";
    const authority = `${host.includes(":") ? `[${host}]` : host}:${options.port ?? 443}`;
    const fail = (error: Error) => callback?.(error, undefined as unknown as Duplex);
    const open = this.#proxy.protocol === "https:" ? https.request : http.request;
    const tunnel = open({
      ...targetOf(this.#proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...authorization(this.#proxy) },
      agent: false,
    });
    tunnel.on("error", (error) => fail(networkError(`proxy ${this.#proxy.host}`, error)));
    const giveUp = () => tunnel.destroy();
    options.abandoned?.addEventListener("abort", giveUp, { once: true });
    tunnel.once("connect", (answer, socket) => {
      options.abandoned?.removeEventListener("abort", giveUp);
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(new NetworkError(`The proxy ${this.#proxy.host} refused the tunnel with status ${answer.statusCode}.`));
        return;
      }
      const secured = tlsConnect({ ...this.#secure, socket, host, servername: isIP(host) === 0 ? host : "" });
      const giveUpToo = () => secured.destroy(new Error("nobody waits for the connection any more"));
      options.abandoned?.addEventListener("abort", giveUpToo, { once: true });
      secured.once("error", fail);
      secured.once("secureConnect", () => {
        secured.off("error", fail);
        options.abandoned?.removeEventListener("abort", giveUpToo);
        callback?.(null, secured);
      });
    });
    tunnel.end();
    return undefined;
  }
}

/** Its text may hold a password, so no message repeats it. */
function parseProxy(proxy: string): URL {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  if (!URL.canParse(address))
    throw new ConfigurationError(
      "The proxy variable holds no address; write http://host:port, with user:password@ before the host if needed.",
    );
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigurationError(`The proxy ${url.protocol}//${url.host} is neither http nor https; only those work.`);
  return url;
}

function authorization(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  let credentials: string;
  try {
    credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  } catch (cause) {
    const hint = "write special characters of the user name and password as %XX.";
    throw new ConfigurationError(`The credentials of the proxy ${proxy.host} cannot be read; ${hint}`, { cause });
  }
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
