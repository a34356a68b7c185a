// Proxies: their credentials, and the CONNECT tunnel for https. Plain http requests use the absolute form.

import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { AgentOptions } from "node:https";
import type { Duplex } from "node:stream";
import { networkError } from "../errors/network.ts";
import { ConfigurationError, NetworkError } from "../types/errors.ts";
import { type Target, targetOf } from "./target.ts";

/** What our agents see of a request. */
export interface ConnectOptions extends Target {
  /** Fires when the connection is no longer needed. */
  readonly abandoned?: AbortSignal;
}

/** An agent whose connections go through the proxy. It returns them when TLS is established. */
export function createTunnelAgent(proxy: URL, options: AgentOptions): Agent {
  const agent: Agent = new (process.getBuiltinModule("node:https").Agent)(options);
  agent.createConnection = (target: ConnectOptions, callback) => {
    const { host, servername, abandoned } = target;
    const fail = (error: Error) => callback?.(error, undefined as unknown as Duplex);
    const tunnel = askForTunnel(proxy, target);
    tunnel.on("error", (error) => fail(networkError(`proxy ${proxy.host}`, error)));
    const giveUp = () => tunnel.destroy();
    abandoned?.addEventListener("abort", giveUp, { once: true });
    tunnel.once("connect", ({ statusCode }, socket) => {
      abandoned?.removeEventListener("abort", giveUp);
      if (statusCode !== 200) {
        socket.destroy();
        fail(new NetworkError(`The proxy ${proxy.host} refused the tunnel with status ${statusCode}.`));
        return;
      }
      const { connect } = process.getBuiltinModule("node:tls");
      const secured = connect({ ...options, socket, host: host ?? "", servername: servername ?? "" });
      const giveUpToo = () => secured.destroy(new Error("the connection is no longer needed"));
      abandoned?.addEventListener("abort", giveUpToo, { once: true });
      secured.once("error", fail);
      secured.once("secureConnect", () => {
        secured.off("error", fail);
        abandoned?.removeEventListener("abort", giveUpToo);
        callback?.(null, secured);
      });
    });
    tunnel.end();
    return undefined;
  };
  return agent;
}

/** Requests a tunnel. The caller must end the request; its event `connect` brings the connection. */
export function askForTunnel(proxy: URL, { host, port }: Pick<RequestOptions, "host" | "port">): ClientRequest {
  const authority = `${host?.includes(":") ? `[${host}]` : host}:${port}`;
  const { request } = process.getBuiltinModule(proxy.protocol === "https:" ? "node:https" : "node:http");
  return request({
    ...targetOf(proxy),
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
  });
}

/** Headers for the proxy itself. */
export function proxyHeaders(proxy: URL): Record<string, string> {
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
