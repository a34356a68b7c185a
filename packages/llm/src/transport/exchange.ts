// One request and its answer over an agent of node:http.

import type { ClientRequest, IncomingMessage } from "node:http";
import { networkError } from "../errors/network.ts";
import type { ClientDeps, TransportRequest, TransportResponse } from "../types/adapter.ts";
import { AbortError, ConfigurationError, NetworkError, RequestTimeoutError } from "../types/errors.ts";
import { readBody } from "./body.ts";
import { encodeBody } from "./encode-body.ts";
import { decompress } from "./gunzip.ts";
import type { ConnectOptions } from "./proxy.ts";
import type { Route } from "./routes.ts";

export interface ExchangeOptions {
  readonly setTimer: ClientDeps["setTimer"];
  /**
   * Sends the request on another connection. Called only if a connection that had been idle, and that its server may
   * have given up, ends soon after we used it and without a byte of an answer.
   */
  readonly resend?: () => Promise<TransportResponse>;
}

/**
 * If an idle connection ends within this time after we sent a request, we assume that the server closed it while the
 * request was on its way. That is a guess: a server that accepts a request and dies within this time looks the same,
 * and then gets it twice. Requests that must be sent only once are excluded.
 */
const CROSSING_MS = 1000;

/** The limit for the status line and the headers together. */
const HEAD_LIMIT = 256 * 1024;

export function exchange(
  request: TransportRequest,
  route: Route,
  { setTimer, resend }: ExchangeOptions,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { origin } = route;
    const { signal } = request;
    const body = encodeBody(request.body ?? []);
    const abandoned = new AbortController();
    const outgoing = open(request, route, body, abandoned.signal);
    let failure: Error | undefined;
    const fail = (error: Error) => {
      failure ??= error;
      // Without the error, because a connection that returns to the agent has no listener for one.
      outgoing.destroy();
      // Destroying a request without a connection stops nothing, so we tell the code that opens the connection.
      abandoned.abort();
    };
    const onAbort = () => fail(new AbortError("The request was aborted."));
    signal?.addEventListener("abort", onAbort, { once: true });
    const connecting = limitConnect(outgoing, request.connectTimeoutMs, route, setTimer, fail);
    const crossing = watchCrossing(outgoing, route, setTimer);
    const settle = () => {
      connecting.cancel();
      crossing.cancel();
      signal?.removeEventListener("abort", onAbort);
      // An answer may come before the whole request is sent; the rest need not be sent then.
      if (!outgoing.writableFinished) outgoing.destroy();
    };
    let incoming: IncomingMessage | undefined;
    // `on`, not `once`: a request that is destroyed twice emits twice, and the second error must not be uncaught.
    outgoing.on("error", (error) => {
      // Node tells the reader of a broken answer only that it was aborted, so we pass on the error.
      if (incoming !== undefined) incoming.destroy(error);
      else if (failure === undefined && resend !== undefined && crossing.isOn()) {
        settle();
        resolve(resend());
      } else {
        settle();
        // A failure on the way, such as in a proxy, already has a message of its own.
        reject(failure ?? (error instanceof NetworkError ? error : networkError(origin, error)));
      }
    });
    // Node stops listening when the answer is complete, but the request may still be on its way and fail.
    outgoing.once("socket", (socket) => {
      if (!outgoing.reusedSocket) socket.on("error", () => settle());
    });
    const onSwitch = () => {
      reject(new NetworkError(`${origin}: the server switched to another protocol without being asked.`));
      settle();
      outgoing.destroy();
    };
    outgoing.once("upgrade", onSwitch);
    outgoing.once("response", (answer) => {
      if (answer.statusCode === 101) {
        onSwitch();
        return;
      }
      incoming = answer;
      connecting.cancel();
      resolve({
        status: answer.statusCode ?? 0,
        headers: flat(answer.headers),
        body: readBody({ incoming: answer, readable: decompress(answer), origin, failure: () => failure, settle }),
      });
    });
    const last = body.pop();
    // We do not copy them into one buffer, because Node passes all of them to the system at once.
    for (const bytes of body) outgoing.write(bytes);
    outgoing.end(last, request.sent);
  });
}

function open(
  request: TransportRequest,
  { connections, target, headers: own }: Route,
  body: readonly Uint8Array[],
  abandoned: AbortSignal,
): ClientRequest {
  const headers: Record<string, string> = { ...own, "accept-encoding": "gzip" };
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  // Only this function decides how the body is delimited: a second, different length in the same headers would allow
  // request smuggling.
  delete headers["transfer-encoding"];
  delete headers["content-length"];
  if (request.body !== undefined || request.method !== "GET")
    headers["content-length"] = String(body.reduce((sum, { length }) => sum + length, 0));
  const options: ConnectOptions = {
    ...target,
    method: request.method,
    headers,
    agent: connections.agent,
    maxHeaderSize: HEAD_LIMIT,
    abandoned,
  };
  try {
    return process.getBuiltinModule("node:http").request(options);
  } catch (cause) {
    throw headerError(cause, headers);
  }
}

/** Node names the header but not its value, which may be a key, and does not say what to do about it. */
function headerError(cause: unknown, headers: Readonly<Record<string, string>>): unknown {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ERR_INVALID_HTTP_TOKEN") {
    const name = Object.keys(headers).find((one) => message.includes(`"${one}"`)) ?? "";
    return new ConfigurationError(`"${printable(name)}" cannot be the name of a header.`);
  }
  if (code !== "ERR_INVALID_CHAR") return cause;
  const name = Object.keys(headers).find((one) => message.includes(`"${one}"`));
  return new ConfigurationError(
    `The header ${name} contains a line break or another character that is not allowed in headers; check the key or setting it is made from.`,
  );
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}

/** Limits TCP and TLS together. */
function limitConnect(
  outgoing: ClientRequest,
  ms: number | undefined,
  { origin, connections }: Route,
  setTimer: ClientDeps["setTimer"],
  fail: (error: Error) => void,
): { cancel(): void } {
  if (!ms) return { cancel: () => {} };
  const timer = setTimer(
    () => fail(new RequestTimeoutError(`${origin}: no connection within ${ms / 1000} s.`, { phase: "connect" })),
    ms,
  );
  outgoing.once("socket", (socket) => {
    if (connections.isOpen(socket)) timer.cancel();
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", () => timer.cancel());
  });
  return timer;
}

/** Whether the end of the connection crossed the request; see CROSSING_MS. */
function watchCrossing(
  outgoing: ClientRequest,
  { connections }: Route,
  setTimer: ClientDeps["setTimer"],
): { isOn(): boolean; cancel(): void } {
  let timer: { cancel(): void } | undefined;
  const cancel = () => {
    timer?.cancel();
    timer = undefined;
  };
  outgoing.once("socket", (socket) => {
    if (!connections.hasWaited(socket) || outgoing.destroyed) return;
    timer = setTimer(cancel, CROSSING_MS);
    socket.once("data", cancel);
  });
  return { isOn: () => timer !== undefined, cancel };
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(", ") : value;
  return result;
}
