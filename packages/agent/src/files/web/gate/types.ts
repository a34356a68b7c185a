// The one way out to the web, as tools see it.

import type { IncomingHttpHeaders } from "node:http";
import type { Duplex, Readable } from "node:stream";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import type { LookUp } from "../../../world/net/dial.ts";

/** One request to the web. */
export interface GateRequest {
  readonly url: URL;
  /** GET when absent. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

/** The answer, once its headers are there. */
export interface GateResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came, perhaps packed. A caller that does not read to its end destroys it. */
  readonly body: Readable;
  /** It came from the loopback, where whatever the session wrote may be served. */
  readonly isLoopback?: boolean;
}

/**
 * The one way out to the web: every connection is judged by the address it really goes to. What may not be reached is a ToolFailure
 * that says why and what would allow it.
 */
export interface WebGate {
  /** One HTTP exchange. Redirects are not followed: the caller follows them, and each hop is judged again. */
  request(request: GateRequest, signal: AbortSignal): Promise<GateResponse>;
  /** A raw connection, for proxies; the caller does TLS itself. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Whether this means the loopback, also by an address of the machine's interfaces or by a name of the hosts file. */
  isLoopback(host: string): Promise<boolean>;
  /** Whether this is a loopback port on which only processes of the session listen. */
  isOwn(host: string, port: number): Promise<boolean>;
  /** Whether this is a loopback port that nothing has opened: a connection to it would be refused. */
  isClosed(host: string, port: number): Promise<boolean>;
  /** The user has named this address, in a prompt or in their own settings: if it is on the loopback, its port is open from now on. */
  openTyped(address: string): void;
  /** The same gate for an environment with another loopback. */
  inside(env: ExecutionEnvironment): WebGate;
}

/** What a gate is made with. */
export interface GateOptions {
  /** Whose loopback is meant. */
  readonly env: ExecutionEnvironment;
  /** Private addresses, and loopback ports of any program. */
  readonly allowPrivate?: boolean | undefined;
  /** The user's variables, among them those that name a proxy. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called once with what the user should know about the gate. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** How names are looked up; by the system when absent. */
  readonly lookUp?: LookUp | undefined;
  /** Addresses of this machine's interfaces, which are treated like its loopback; the system's when absent. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
}
