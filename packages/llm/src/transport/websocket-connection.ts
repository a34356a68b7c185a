// One websocket as a queue of messages. The websocket package is loaded with the first connection.

import type { IncomingMessage } from "node:http";
import { networkError } from "../errors/network.ts";
import type { ClientDeps, TransportRequest, TransportResponse } from "../types/adapter.ts";
import { AbortError } from "../types/errors.ts";

export interface Connection {
  readonly closed: boolean;
  send(message: string): void;
  /** The next message; undefined if the socket is closed or silent for too long. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** The other side answered the handshake with an HTTP status. */
export class Refused extends Error {
  readonly response: TransportResponse;
  constructor(response: TransportResponse) {
    super("the websocket was refused");
    this.response = response;
  }
}

export async function connect(
  request: TransportRequest,
  idleMs: number,
  setTimer: ClientDeps["setTimer"],
): Promise<Connection> {
  const { WebSocket } = await import("ws");
  const { signal, url, headers, connectTimeoutMs = 0, tls } = request;
  const material = tls === undefined ? {} : (await import("./tls.ts")).tlsOptions(tls);
  if (signal?.aborted) throw new AbortError("The request was aborted before it was sent.");
  const { accept: _, "content-type": __, ...handshake } = headers;
  const socket = new WebSocket(url.replace(/^http/, "ws"), {
    headers: handshake,
    ...(connectTimeoutMs > 0 ? { handshakeTimeout: connectTimeoutMs } : {}),
    ...material,
  });
  const queue: string[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  socket.on("message", (data) => {
    queue.push(String(data));
    notify();
  });
  socket.on("close", () => {
    closed = true;
    notify();
  });
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      socket.terminate();
      reject(new AbortError("The request was aborted."));
    };
    signal?.addEventListener("abort", abort, { once: true });
    const settle = (finish: () => void) => {
      signal?.removeEventListener("abort", abort);
      finish();
    };
    socket.once("open", () => settle(resolve));
    // This listener stays: a socket that fails later closes too, which readers notice.
    socket.on("error", (cause) => settle(() => reject(networkError(new URL(url).origin, cause))));
    socket.once("unexpected-response", (_request, answer: IncomingMessage) =>
      settle(() => reject(new Refused(responseOf(answer)))),
    );
  });
  return {
    get closed() {
      return closed;
    },
    send: (message) => socket.send(message),
    async next() {
      const timer = idleMs > 0 ? setTimer(() => socket.terminate(), idleMs) : undefined;
      try {
        while (queue.length === 0 && !closed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return queue.shift();
      } finally {
        timer?.cancel();
      }
    },
    close: () => socket.terminate(),
  };
}

function responseOf(answer: IncomingMessage): TransportResponse {
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
  return { status: answer.statusCode ?? 0, headers: Object.fromEntries(headers), body: answer };
}
