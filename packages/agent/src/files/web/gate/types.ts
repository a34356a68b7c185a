// The only way out to the web, as tools see it.

import type { IncomingHttpHeaders } from "node:http";
import type { Duplex, Readable } from "node:stream";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import type { LookUp } from "../../../world/net/dial.ts";

/** A request to the web. */
export interface GateRequest {
  readonly url: URL;
  /** GET if absent. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

/** The response, once its headers have arrived. */
export interface GateResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received, perhaps compressed. A caller that does not read it to the end must destroy it. */
  readonly body: Readable;
  /** It came from loopback, which may serve anything that the session wrote. */
  readonly isLoopback?: boolean;
}

/**
 * The only way out to the web: every connection is judged by its real destination address. If it is not allowed, a
 * ToolFailure says why and what would allow it.
 */
export interface WebGate {
  /** One HTTP exchange. It does not follow redirects; the caller does, and each hop is judged again. */
  request(request: GateRequest, signal: AbortSignal): Promise<GateResponse>;
  /** A raw connection, for proxies; the caller does TLS itself. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Whether this is loopback, including addresses of the machine's interfaces and names in the hosts file. */
  isLoopback(host: string): Promise<boolean>;
  /** Whether this is a loopback port on which only processes of the session listen. */
  isOwn(host: string, port: number): Promise<boolean>;
  /** Whether this is a loopback port that is not open: a connection to it would be refused. */
  isClosed(host: string, port: number): Promise<boolean>;
  /**
   * The user has named this address, in a prompt or in their settings: if it is on loopback, its port is open from now
   * on.
   */
  openTyped(address: string): void;
  /** The same gate for an environment with another loopback. */
  inside(env: ExecutionEnvironment): WebGate;
}

/** The options of a gate. */
export interface GateOptions {
  /** The environment whose loopback is meant. */
  readonly env: ExecutionEnvironment;
  /** Allow private addresses, and loopback ports of any program. */
  readonly allowPrivate?: boolean | undefined;
  /** The user's variables, including those that configure a proxy. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called once with a notice about the gate for the user. */
  readonly onNotice?: ((message: string) => void) | undefined;
  /** The name resolver; the system's if absent. */
  readonly lookUp?: LookUp | undefined;
  /** Addresses of this machine's interfaces, which are treated like its loopback; the system's if absent. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
}
