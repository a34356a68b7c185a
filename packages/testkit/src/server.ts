// The scripted model server: real HTTP on loopback. It records every request, refuses what the vendor would refuse, and
// plays the next turn of its script.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { PromptCache } from "./cache.ts";
import type { Dialect } from "./dialect.ts";
import { dialects } from "./dialects/index.ts";
import { answerListing, isMissing, type Listings } from "./listings.ts";
import { type Exchange, playRaw, playTurn, sendError } from "./play.ts";
import { prerender } from "./prerender.ts";
import { RecordedRequest } from "./record.ts";
import { resolveTurn } from "./resolve.ts";
import { routeOf } from "./routes.ts";
import type { Turn } from "./turn.ts";

/** Turns in order, or a function of the request. If the function returns undefined, the test fails. */
export type Script = readonly Turn[] | ((request: RecordedRequest) => Turn | undefined | Promise<Turn | undefined>);

export interface ModelServerOptions {
  readonly script?: Script;
  /** Refuse what the vendor would refuse; default true. */
  readonly strict?: boolean;
  /** Top-level body fields that a strict server accepts although the vendor does not know them. */
  readonly allowFields?: readonly string[];
  /** `required` (default if strict): any key; `none`: no key needed; `{ key }`: exactly this key. */
  readonly auth?: "required" | "none" | { readonly key: string };
  /** Computes the cache numbers of the usage from the longest common prefix with an earlier request. */
  readonly simulateCache?: boolean;
  readonly listings?: Listings;
  /** HTTPS with these keys and certificates; `requestCert` and `ca` require a client certificate. */
  readonly tls?: TlsOptions;
  /** Accepts requests from pages of any origin. */
  readonly cors?: boolean;
  /** For benchmarks: no parsing, no checks, no record of bodies; streams are rendered once per turn object. */
  readonly fast?: boolean;
  /** Default: the machine's clock. */
  readonly now?: () => number;
}

export type BaseUrlKind = "anthropic" | "openai" | "chat" | "azure" | "gemini" | "vertex" | "bedrock" | "ollama";

const BASE_PATHS: Readonly<Record<BaseUrlKind, string>> = {
  anthropic: "",
  openai: "/v1",
  chat: "/v1",
  azure: "/openai/v1",
  gemini: "",
  vertex: "",
  bedrock: "",
  ollama: "",
};

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  /** The base URL that clients of this vendor expect, including the version segment if it belongs there. */
  baseUrl(kind: BaseUrlKind): string;
  /** Every request in order of arrival, including listings and refused ones. */
  readonly requests: readonly RecordedRequest[];
  /** The n-th request, from 0, as soon as its body has arrived. */
  waitForRequest(index: number): Promise<RecordedRequest>;
  /** Appends turns to the script. */
  push(...turns: Turn[]): void;
  /** Turns that no request has used yet. */
  readonly remaining: number;
  readonly openSockets: number;
  /** Ends all connections; resolves when the port is free. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const state = new ServerState(options);
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    if (options.cors && admitPage(incoming, response)) return;
    state.handle(incoming, response).catch((error: unknown) => {
      // A bug in a script function must fail the test visibly, not become an unhandled rejection.
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(`testkit: ${error instanceof Error ? error.stack : String(error)}`);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, answer) : createServer(answer);
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Cuts make the peer's last write fail; the exchange's own close event already reports it.
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = (server.address() as AddressInfo).port;
  const url = `${options.tls ? "https" : "http"}://127.0.0.1:${port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url,
    port,
    baseUrl: (kind) => url + BASE_PATHS[kind],
    requests: state.requests,
    waitForRequest: (index) => state.waitFor(index),
    push: (...turns) => state.queue.push(...turns),
    get remaining() {
      return state.queue.length;
    },
    get openSockets() {
      return sockets.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Allows a page to read the answer. Returns true for a preflight request, which is then complete. */
function admitPage(incoming: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", "*");
  if (incoming.method !== "OPTIONS") return false;
  response.setHeader("access-control-allow-methods", "GET, POST");
  response.setHeader("access-control-allow-headers", incoming.headers["access-control-request-headers"] ?? "");
  response.writeHead(204).end();
  return true;
}

class ServerState {
  readonly requests: RecordedRequest[] = [];
  readonly queue: Turn[];
  readonly #options: ModelServerOptions;
  readonly #waiters: { index: number; resolve: (request: RecordedRequest) => void }[] = [];
  readonly #cache = new PromptCache();
  #serial = 0;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.queue = Array.isArray(options.script) ? [...(options.script as readonly Turn[])] : [];
  }

  waitFor(index: number): Promise<RecordedRequest> {
    const there = this.requests[index];
    if (there) return Promise.resolve(there);
    return new Promise((resolve) => this.#waiters.push({ index, resolve }));
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await readBody(incoming, this.#options.fast ?? false);
    if (rawBody === undefined) return;
    const request = this.#record(incoming, rawBody);
    response.on("close", () => request.settle(response.writableFinished));
    const route = isMissing(request, this.#options.listings) ? undefined : request.route;
    if (!route) {
      await answerListing(request, response, this.#options.listings ?? {});
      return;
    }
    const dialect = dialects[route.dialect];
    this.#serial++;
    const exchange = {
      request,
      response,
      dialect,
      serial: this.#serial,
      headers: responseHeaders(dialect, this.#serial),
    };
    if (this.#options.fast) {
      const turn = await this.#next(request);
      if (turn?.kind === "model") sendWhole(response, prerender(turn, dialect, request));
      else if (turn) await playRaw(turn, exchange);
      else response.writeHead(400).end(this.#exhaustedMessage(request));
      return;
    }
    if (this.#refuse(exchange)) return;
    if (route.operation === "count") sendJson(response, dialect.count(Math.ceil(rawBody.length / 4), request));
    else await this.#answer(exchange);
  }

  #record(incoming: IncomingMessage, rawBody: Buffer): RecordedRequest {
    const url = new URL(incoming.url ?? "/", "http://localhost");
    const method = incoming.method ?? "GET";
    const request = new RecordedRequest({
      index: this.requests.length,
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: incoming.headers,
      rawBody,
      arrivedAt: (this.#options.now ?? Date.now)(),
      route: routeOf(method, url.pathname),
    });
    this.requests.push(request);
    for (const waiter of this.#waiters) if (waiter.index === request.index) waiter.resolve(request);
    return request;
  }

  /** Answers with the vendor's refusal if there is one. */
  #refuse(exchange: Exchange): boolean {
    const { dialect, request } = exchange;
    const strict = this.#options.strict ?? true;
    const auth = this.#options.auth ?? (strict ? "required" : "none");
    const key = dialect.credential(request);
    const keyless = dialect.name === "ollama" && auth === "required";
    const denied = auth !== "none" && !keyless && (key === undefined || (auth !== "required" && key !== auth.key));
    const refusal = denied
      ? dialect.denial(key)
      : strict
        ? dialect.validate(request, { allowFields: this.#options.allowFields ?? [] })
        : undefined;
    if (!refusal) return false;
    request.refused = refusal.message;
    const { status, ...details } = refusal;
    sendError(dialect.error(status, details, exchange.serial), exchange);
    return true;
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { dialect, request } = exchange;
    const turn = await this.#next(request);
    if (!turn) {
      request.refused = this.#exhaustedMessage(request);
      sendError(dialect.error(400, { message: request.refused }, exchange.serial), exchange);
      return;
    }
    if (turn.kind === "raw") {
      await playRaw(turn, exchange);
      return;
    }
    const resolved = resolveTurn(turn, {
      serial: exchange.serial,
      dialect: dialect.name,
      model: request.model ?? dialect.defaultModel,
      requestBytes: request.rawBody.length,
      ...(this.#options.simulateCache ? { usageOverride: this.#cache.usageFor(request, dialect.name) } : {}),
    });
    await playTurn(turn, resolved, exchange);
  }

  async #next(request: RecordedRequest): Promise<Turn | undefined> {
    const { script } = this.#options;
    if (typeof script !== "function") return this.queue.shift();
    return this.queue.shift() ?? script(request);
  }

  #exhaustedMessage(request: RecordedRequest): string {
    return `testkit: the script has no turn left for request ${request.index} (${request.method} ${request.path})`;
  }
}

function responseHeaders(dialect: Dialect, serial: number): Record<string, string> {
  const id = `req_testkit_${serial}`;
  return dialect.name === "bedrock" ? { "x-amzn-requestid": id } : { "request-id": id, "x-request-id": id };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendWhole(response: ServerResponse, rendered: { contentType: string; bytes: Buffer }): void {
  response.writeHead(200, { "content-type": rendered.contentType, "content-length": rendered.bytes.length });
  response.end(rendered.bytes);
}

/** Undefined if the client disconnected before its body was complete. */
function readBody(incoming: IncomingMessage, discard: boolean): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    if (discard) incoming.resume();
    else incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => resolve(Buffer.concat(chunks)));
    incoming.on("error", () => resolve(undefined));
    incoming.on("close", () => resolve(undefined));
  });
}
