// Requests through a proxy, over the agents of node:http(s). Loaded with the first request that needs one.

import * as http from "node:http";
import * as https from "node:https";
import type { Readable } from "node:stream";
import { networkError } from "../errors/network.ts";
import type { ClientDeps, TlsMaterial, TransportRequest, TransportResponse } from "../types/adapter.ts";
import { AbortError, RequestTimeoutError } from "../types/errors.ts";
import { readBody } from "./body.ts";
import { encodeBody } from "./encode-body.ts";
import { isGzip } from "./gzip.ts";
import { type ConnectOptions, proxyRoute } from "./proxy.ts";

export interface ProxiedClient {
  send(
    request: TransportRequest,
    url: URL,
    proxy: string,
    material: TlsMaterial | undefined,
  ): Promise<TransportResponse>;
  /** Drops idle connections. */
  close(): void;
}

export function createProxiedClient(setTimer: ClientDeps["setTimer"]): ProxiedClient {
  const agents = new Map<string, http.Agent>();
  const agentFor = (key: string, make: () => http.Agent): http.Agent => {
    const agent = agents.get(key) ?? make();
    agents.set(key, agent);
    return agent;
  };
  return {
    async send(request, url, proxy, material) {
      const { agent, target, headers, tunnelled = false } = proxyRoute(url, proxy, material, agentFor);
      const open = target.protocol === "https:" ? https.request : http.request;
      return exchange(request, { origin: url.origin, setTimer, tunnelled }, (own, abandoned) => {
        const connecting: ConnectOptions = { ...target, abandoned };
        return open({ ...connecting, method: request.method, headers: { ...own, ...headers }, agent });
      });
    },
    close() {
      for (const agent of agents.values())
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
  };
}

interface Way {
  readonly origin: string;
  readonly setTimer: ClientDeps["setTimer"];
  readonly tunnelled: boolean;
}

function exchange(
  request: TransportRequest,
  way: Way,
  open: (headers: Record<string, string | number>, abandoned: AbortSignal) => http.ClientRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { origin } = way;
    const body = request.body === undefined ? undefined : encodeBody(request.body);
    const { signal } = request;
    const abandoned = new AbortController();
    const headers = {
      "accept-encoding": "gzip",
      ...request.headers,
      ...(body === undefined ? {} : { "content-length": body.reduce((sum, { length }) => sum + length, 0) }),
    };
    const outgoing = open(headers, abandoned.signal);
    let failure: Error | undefined;
    const fail = (error: Error) => {
      failure ??= error;
      // Without the error: a socket on its way back to the pool has nobody listening for one.
      outgoing.destroy();
      // Destroying a request without a socket stops nothing: whoever makes the socket has to know.
      abandoned.abort();
    };
    const onAbort = () => fail(new AbortError("The request was aborted."));
    signal?.addEventListener("abort", onAbort, { once: true });
    const connecting = limitConnect(outgoing, request.connectTimeoutMs, way, fail);
    const settle = () => {
      connecting.cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    // Not once: a request destroyed twice emits twice, and the second time must not be uncaught.
    outgoing.on("error", (error) => {
      settle();
      reject(failure ?? networkError(origin, error));
    });
    // Node stops listening once the answer is complete, though the request may still be on its way and fail.
    outgoing.once("socket", (socket) => {
      if (!outgoing.reusedSocket) socket.on("error", () => settle());
    });
    outgoing.once("response", (incoming: http.IncomingMessage) => {
      connecting.cancel();
      decompressed(incoming).then(
        (readable) =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: flat(incoming.headers),
            body: readBody({ incoming, readable, origin, failure: () => failure, settle }),
          }),
        reject,
      );
    });
    const last = body?.pop();
    // Without copying them into one: node hands all of them to the system at once.
    for (const bytes of body ?? []) outgoing.write(bytes);
    outgoing.end(last, request.sent);
  });
}

/** TCP and TLS together; a pooled socket is connected already. */
function limitConnect(
  outgoing: http.ClientRequest,
  ms: number | undefined,
  { origin, setTimer, tunnelled }: Way,
  fail: (error: Error) => void,
): { cancel(): void } {
  if (!ms) return { cancel: () => {} };
  const timer = setTimer(
    () => fail(new RequestTimeoutError(`${origin}: no connection within ${ms / 1000} s.`, { phase: "connect" })),
    ms,
  );
  outgoing.once("socket", (socket) => {
    const secure = "encrypted" in socket;
    if (tunnelled || (!socket.connecting && (!secure || outgoing.reusedSocket))) timer.cancel();
    else socket.once(secure ? "secureConnect" : "connect", () => timer.cancel());
  });
  return timer;
}

async function decompressed(incoming: http.IncomingMessage): Promise<Readable> {
  return isGzip(incoming.headers) ? (await import("./gunzip.ts")).gunzip(incoming) : incoming;
}

function flat(headers: http.IncomingMessage["headers"]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  return result;
}
