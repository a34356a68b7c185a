// The listening socket and its limits on slow senders, long headers and connections.

import { X509Certificate } from "node:crypto";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { usageError } from "../../platform/usage/exit.ts";
import { flatGarbage, type Garbage, refuseGarbage } from "./garbage.ts";
import { isLoopback } from "./origin.ts";

/** Certificate and key as PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface Limits {
  readonly headerBytes: number;
  /** Time until the last header, from the connection or the previous request on. */
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

/** How the user sets a server's address, for messages. */
export interface PlaceWords {
  /** The option that takes the address. */
  readonly option: string;
  /** The command line with another port. */
  readonly withPort: (port: number) => string;
}

const SERVE_WORDS: PlaceWords = { option: "--host", withPort: (port) => `lathe serve --port ${port}` };

export interface ListenOptions {
  readonly words?: PlaceWords;
  readonly garbage?: Garbage;
  readonly host: string;
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly limits: Limits;
}

export async function listen(listener: RequestListener, place: ListenOptions): Promise<Server> {
  const { host, port, tls, limits, words = SERVE_WORDS, garbage = flatGarbage } = place;
  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersWithinMs,
    requestTimeout: limits.requestWithinMs,
    keepAliveTimeout: limits.headersWithinMs,
    // A request without a Host header gets the same refusal, in the server's words, as one with a foreign name.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(1000, limits.headersWithinMs),
  };
  const server = tls
    ? createSecureServer({ ...options, ...tls, handshakeTimeout: limits.headersWithinMs }, listener)
    : createServer(options, listener);
  server.maxConnections = limits.connections;
  refuseGarbage(server, garbage);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenProblem(error, { host, port, words })));
    server.listen(port, host, resolve);
  });
  return server;
}

/** The actual port, also if the system chose it. */
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

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

/** Throws if the address can be reached from other machines without encryption. */
export function checkReach(host: string, tls: Tls | undefined, { option }: PlaceWords = SERVE_WORDS): void {
  if (tls === undefined && !isLoopback(host))
    throw usageError(
      `Reaching ${host} needs TLS: give --tls-cert <file> and --tls-key <file>, or leave out ${option} and use an ssh tunnel.`,
    );
}

export function certificateOf(tls: Tls | undefined): X509Certificate | undefined {
  return tls && new X509Certificate(tls.cert);
}
