// HTTP over node:http(s) with keep-alive. One call, one exchange: no redirects, no retries, no opinion on status.
// Proxy and TLS material are loaded only when a request needs them.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Readable } from "node:stream";
import { networkError } from "../errors/network.ts";
import type {
  BodyPiece,
  ClientDeps,
  TlsMaterial,
  Transport,
  TransportRequest,
  TransportResponse,
} from "../types/adapter.ts";
import { AbortError, RequestTimeoutError } from "../types/errors.ts";
import { readBody } from "./body.ts";
import { hasProxySettings, proxyFor } from "./proxy-rules.ts";

export interface NodeTransportOptions {
  readonly env: ClientDeps["env"];
  readonly setTimer: ClientDeps["setTimer"];
  /** PEM text of further authorities, added to the built-in ones. */
  readonly extraCa?: string;
}

/** What a request goes out through: an agent, and the target as the agent's peer must see it. */
export interface Route {
  readonly agent: Agent;
  readonly target: RequestOptions;
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent hands out sockets whose handshakes are over. */
  readonly tunnelled?: boolean;
}

/** What an agent of ours gets to see of a request. */
export interface ConnectOptions extends RequestOptions {
  /** Fires when nobody waits for the connection any more. */
  readonly abandoned?: AbortSignal;
}

export function createNodeTransport(options: NodeTransportOptions): Transport {
  const agents = new Map<string, Agent>();
  const proxied = hasProxySettings(options.env);

  const route = async (url: URL, tls: TlsMaterial | undefined): Promise<Route> => {
    const material = withExtraCa(tls, options.extraCa);
    const proxy = proxied ? proxyFor(url, options.env) : undefined;
    const agentFor = async (key: string, make: () => Agent | Promise<Agent>): Promise<Agent> => {
      const known = agents.get(key);
      if (known !== undefined) return known;
      const made = await make();
      const raced = agents.get(key);
      if (raced !== undefined) return raced;
      agents.set(key, made);
      return made;
    };
    if (proxy !== undefined) return (await import("./proxy.ts")).proxyRoute(url, proxy, material, agentFor);
    const key = material === undefined ? url.protocol : `${url.protocol}${JSON.stringify(material)}`;
    const agent = await agentFor(key, async () => {
      if (url.protocol === "http:") return new (await import("node:http")).Agent(AGENT_OPTIONS);
      const secure = material === undefined ? {} : await (await import("./tls.ts")).tlsOptions(material);
      return new (await import("node:https")).Agent({ ...AGENT_OPTIONS, ...secure });
    });
    return { agent, target: targetOf(url) };
  };

  const transport: Transport = async (request) => {
    if (request.signal?.aborted) throw new AbortError("The request was aborted before it was sent.");
    const url = new URL(request.url);
    const { agent, target, headers, tunnelled = false } = await route(url, request.tls);
    const secure = target.protocol === "https:" || (target.protocol === undefined && url.protocol === "https:");
    const { request: open } = secure ? await import("node:https") : await import("node:http");
    return exchange(request, { origin: url.origin, setTimer: options.setTimer, tunnelled }, (own, abandoned) => {
      const connecting: ConnectOptions = { ...target, abandoned };
      return open({ ...connecting, method: request.method, headers: { ...own, ...headers }, agent });
    });
  };
  transport.close = () => {
    for (const agent of agents.values())
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };
  return transport;
}

export const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 16 } as const;

export function targetOf(url: URL): RequestOptions {
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    ...(url.port === "" ? {} : { port: url.port }),
    path: url.pathname + url.search,
  };
}

function withExtraCa(tls: TlsMaterial | undefined, extraCa: string | undefined): TlsMaterial | undefined {
  if (extraCa === undefined) return tls;
  return { ...tls, ca: tls?.ca === undefined ? extraCa : `${tls.ca}\n${extraCa}` };
}

interface Way {
  readonly origin: string;
  readonly setTimer: ClientDeps["setTimer"];
  readonly tunnelled: boolean;
}

function exchange(
  request: TransportRequest,
  way: Way,
  open: (headers: Record<string, string | number>, abandoned: AbortSignal) => ClientRequest,
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
    outgoing.once("response", (incoming: IncomingMessage) => {
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
    outgoing.end(last);
  });
}

/** Texts that follow each other become one piece; bytes stay as they are. */
function encodeBody(pieces: readonly BodyPiece[]): Uint8Array[] {
  const body: Uint8Array[] = [];
  let text = "";
  const encode = () => {
    if (text !== "") body.push(Buffer.from(text));
    text = "";
  };
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else {
      encode();
      body.push(piece);
    }
  }
  encode();
  return body;
}

/** TCP and TLS together; a pooled socket is connected already. */
function limitConnect(
  outgoing: ClientRequest,
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

async function decompressed(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers["content-encoding"]?.toLowerCase();
  if (encoding !== "gzip" && encoding !== "x-gzip") return incoming;
  const { createGunzip } = await import("node:zlib");
  const gunzip = createGunzip();
  incoming.on("error", (error) => gunzip.destroy(error));
  gunzip.once("close", () => incoming.destroy());
  return incoming.pipe(gunzip);
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  return result;
}
