// Responses over a websocket: a transport in front of another one. A streamed request is sent as one `response.create`
// message, and the answer is passed on as an event stream, so that protocol and framing stay the same. A socket that
// drops before its first message is reopened with back-off; after that, plain HTTP takes over, if allowed.

import type { ClientDeps, Transport, TransportRequest, TransportResponse } from "../types/adapter.ts";
import { AbortError, NetworkError } from "../types/errors.ts";
import type { JsonObject } from "../types/json.ts";
import { type Connection, connect, Refused } from "./websocket-connection.ts";

export interface WebsocketOptions {
  /** When the attempts are used up: `auto` uses plain HTTP, `on` throws an error. */
  readonly preference: "auto" | "on";
  readonly idleMs: number;
  readonly retryBudget: number;
  readonly retryDelayMs: number;
  readonly http: Transport;
  readonly deps: Pick<ClientDeps, "setTimer" | "sleep">;
}

export function createWebsocketTransport(options: WebsocketOptions): Transport {
  const { http, preference, retryBudget, retryDelayMs, idleMs, deps } = options;
  /** Set under `auto` once sockets have failed here, so that the next request does not try them again. */
  let plain = false;
  /** A connection that waits for the next request of its conversation. */
  let resting: { readonly key: string; readonly connection: Connection } | undefined;

  const take = (key: string): Connection | undefined => {
    const found = resting;
    resting = undefined;
    if (found?.key === key && !found.connection.closed) return found.connection;
    // The model or credential changed, so the state at the other side is useless.
    found?.connection.close();
    return undefined;
  };

  const exchange = async (request: TransportRequest, message: string): Promise<TransportResponse> => {
    const key = `${request.url} ${request.headers["authorization"]} ${request.body?.[0]}`;
    const connection = take(key) ?? (await connect(request, idleMs, deps.setTimer));
    const abort = () => connection.close();
    request.signal?.addEventListener("abort", abort, { once: true });
    const leave = () => request.signal?.removeEventListener("abort", abort);
    connection.send(message);
    const first = await connection.next();
    if (first === undefined) {
      leave();
      if (request.signal?.aborted) throw new AbortError("The request was aborted.");
      throw closedEarly(request);
    }
    const rest = () => {
      leave();
      resting?.connection.close();
      resting = { key, connection };
    };
    const body = events(first, connection, request, { leave, rest });
    return { status: 200, headers: { "content-type": "text/event-stream" }, body };
  };

  const transport: Transport = async (request) => {
    const message = plain ? undefined : createMessage(request);
    if (message === undefined) return http(request);
    for (let attempt = 0; ; attempt++) {
      try {
        return await exchange(request, message);
      } catch (error) {
        if (error instanceof Refused) {
          plain = preference === "auto" && NO_SOCKETS.includes(error.response.status);
          if (!plain) return error.response;
          await leaveBody(error.response);
          return http(request);
        }
        if (!(error instanceof NetworkError)) throw error;
        if (attempt >= retryBudget) {
          if (preference === "on") throw error;
          plain = true;
          return http(request);
        }
        await deps.sleep(retryDelayMs * 2 ** attempt, request.signal);
      }
    }
  };
  transport.close = () => {
    resting?.connection.close();
    resting = undefined;
    http.close?.();
  };
  return transport;
}

/** Statuses with which servers refuse a websocket. */
const NO_SOCKETS: readonly number[] = [400, 404, 405, 426, 501];

/** Leaving a body closes its socket, but only after reading has begun. */
async function leaveBody({ body }: TransportResponse): Promise<void> {
  for await (const _ of body) break;
}

/** The message for a request; undefined if the request does not ask for a stream. */
function createMessage({ body = [] }: TransportRequest): string | undefined {
  const [head, tail] = [body[0], body.at(-1)];
  if (typeof head !== "string" || typeof tail !== "string" || !tail.startsWith(",")) return undefined;
  // Only the last piece contains parameters, so the history before it is not parsed.
  const { stream, ...parameters } = JSON.parse(`{${tail.slice(1)}`) as JsonObject;
  if (stream !== true) return undefined;
  const decoder = new TextDecoder();
  const texts = body.slice(1, -1).map((piece) => (typeof piece === "string" ? piece : decoder.decode(piece)));
  const history = `${head.slice(1)}${texts.join("")}`;
  return `{"type":"response.create",${history},${JSON.stringify(parameters).slice(1)}`;
}

const TERMINAL = /"type"\s*:\s*"(response\.(completed|failed|incomplete)|error)"/;

async function* events(
  first: string,
  connection: Connection,
  request: TransportRequest,
  then: { readonly leave: () => void; readonly rest: () => void },
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let over = false;
  try {
    for (let message: string | undefined = first; !over; message = await connection.next()) {
      if (message === undefined)
        throw request.signal?.aborted ? new AbortError("The request was aborted.") : closedEarly(request);
      // The words may also occur inside a text, so we parse messages that mention them.
      over = TERMINAL.test(message) && isTerminal(message);
      yield encoder.encode(`data: ${message.replaceAll("\n", "\ndata: ")}\n\n`);
      if (over) break;
    }
  } finally {
    if (over) then.rest();
    else {
      then.leave();
      connection.close();
    }
  }
}

function isTerminal(message: string): boolean {
  const { type } = JSON.parse(message) as { type?: unknown };
  return typeof type === "string" && (type === "error" || /^response\.(completed|failed|incomplete)$/.test(type));
}

function closedEarly(request: TransportRequest): NetworkError {
  return new NetworkError(`${new URL(request.url).origin}: the websocket closed before the answer was complete.`);
}
