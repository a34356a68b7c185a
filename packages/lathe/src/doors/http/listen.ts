// The listening socket and its limits: on slow senders, long headers and connections.

import { X509Certificate } from "node:crypto";
import { createServer, type RequestListener, type Server, type ServerOptions, STATUS_CODES } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { usageError } from "../../platform/usage/exit.ts";
import { isLoopback } from "./origin.ts";

/** Certificate and key as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface Limits {
  readonly headerBytes: number;
  /** From the connection, or the request before, to the last header. */
  readonly headersWithinMs: number;
  readonly requestWithinMs: number;
  readonly connections: number;
}

export const LIMITS: Limits = {
  headerBytes: 16 << 10,
  headersWithinMs: 10_000,
  requestWithinMs: 60_000,
  connections: 256,
};

/** How the user gives a server its address, for messages. */
export interface PlaceWords {
  /** The option with the address. */
  readonly option: string;
  /** The command with another port. */
  readonly withPort: (port: number) => string;
}

const SERVE_WORDS: PlaceWords = { option: "--host", withPort: (port) => `lathe serve --port ${port}` };

/** What is said of bytes that never became a request. */
export type Garbage = (refusal: { readonly status: number; readonly code: string; readonly message: string }) => object;

const flat: Garbage = ({ code, message }) => ({ code, message });

export interface ListenOptions {
  readonly words?: PlaceWords;
  readonly garbage?: Garbage;
  readonly host: string;
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly limits: Limits;
}

export async function listen(listener: RequestListener, place: ListenOptions): Promise<Server> {
  const { host, port, tls, limits, words = SERVE_WORDS, garbage = flat } = place;
  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersWithinMs,
    requestTimeout: limits.requestWithinMs,
    keepAliveTimeout: limits.headersWithinMs,
    // A request without one is refused like one with a foreign name, in the words of the server.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(1000, limits.headersWithinMs),
  };
  const server = tls
    ? createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headersWithinMs }, listener)
    : createServer(options, listener);
  server.maxConnections = limits.connections;
  server.on("clientError", (error, socket) => refuseGarbage(error, socket as Socket, garbage));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenProblem(error, { host, port, words })));
    server.listen(port, host, resolve);
  });
  return server;
}

/** The port that was given, where the system chose one. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** What never became a request gets an answer that a person can read, and no second chance on this connection. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Socket, garbage: Garbage): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code, message] = GARBAGE[error.code ?? ""] ?? [
    400,
    "bad_request",
    "This is not a valid HTTP request.",
  ];
  const body = JSON.stringify(garbage({ status, code, message }));
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}

const GARBAGE: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "headers_too_large", "The headers are too large. Send shorter ones."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "too_slow", "The request took too long to arrive. Send it again."],
};

function listenProblem(
  { code, message }: NodeJS.ErrnoException,
  { host, port, words }: Required<Pick<ListenOptions, "host" | "port" | "words">>,
): Error {
  if (code === "EADDRINUSE")
    return usageError(`Port ${port} of ${host} is taken. Choose another one: ${words.withPort(port + 1)}`);
  if (code === "EACCES")
    return usageError(`Port ${port} may not be used. Choose one above 1023: ${words.withPort(8765)}`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return usageError(`${host} is no address of this machine. Leave out ${words.option}, or give one that is.`);
  return usageError(`The server cannot listen at ${host}:${port}: ${message}.`);
}

/** Throws when others could listen in. */
export function checkReach(host: string, tls: Tls | undefined, { option }: PlaceWords = SERVE_WORDS): void {
  if (tls === undefined && !isLoopback(host))
    throw usageError(
      `Reaching ${host} needs TLS: give --tls-cert <file> and --tls-key <file>, or leave out ${option} and use an ssh tunnel.`,
    );
}

export function certificateOf(tls: Tls | undefined): X509Certificate | undefined {
  return tls && new X509Certificate(tls.cert);
}
