// Servers that send exactly what a test wants, byte for byte, and clients for them.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach } from "vitest";
import { createNodeTransport, type NodeTransportOptions } from "../../src/transport/node.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../src/types/adapter.ts";
import { testClock } from "../core/support.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  cleanup.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

export interface RawServer {
  readonly url: string;
  /** Every connection there ever was. */
  readonly connections: Socket[];
  /** Every request there ever was, as text. Only requests without a body can be told apart. */
  readonly requests: string[];
}

/** Calls `answer` for each request head, with the number of the request and of its connection. */
export async function rawServer(
  answer: (socket: Socket, request: number, connection: number) => void,
): Promise<RawServer> {
  const connections: Socket[] = [];
  const requests: string[] = [];
  const server = createServer((socket) => {
    const connection = connections.push(socket) - 1;
    let waiting = "";
    socket.on("data", (bytes) => {
      waiting += bytes.toString("latin1");
      for (let end = waiting.indexOf("\r\n\r\n"); end !== -1; end = waiting.indexOf("\r\n\r\n")) {
        const request = requests.push(waiting.slice(0, end)) - 1;
        waiting = waiting.slice(end + 4);
        answer(socket, request, connection);
      }
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/`, connections, requests };
}

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

export function client(options: Partial<NodeTransportOptions> = {}): Transport {
  const { setTimer, now } = testClock();
  const transport = createNodeTransport({ env: {}, setTimer, now, ...options });
  cleanup.push(() => transport.close?.());
  return transport;
}

export function get(url: string, more: Partial<TransportRequest> = {}): TransportRequest {
  return { url, method: "GET", headers: {}, ...more };
}

export async function text(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });
}

/** A promise and the function that resolves it. */
export function signal<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
