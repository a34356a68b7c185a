// Connections to hosts on the web. The address is checked between name resolution and connecting, so that we connect to
// exactly what was checked.

import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { connect as connectSecure } from "node:tls";
import { askForTunnel, proxyHeaders } from "@lathe/llm";
import { isPrivateAddress } from "./address.ts";

const CONNECT_PATIENCE_MS = 30_000;

/** Resolves a name to all of its addresses. */
export type LookUp = (name: string) => Promise<readonly LookupAddress[]>;

export interface DialOptions {
  /** Allow addresses of this machine and its private network, too. */
  readonly allowPrivate?: boolean | undefined;
  /** The system's resolver if absent. */
  readonly lookUp?: LookUp | undefined;
  /** Addresses of this machine's interfaces, which always count as private; the system's if absent. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  /** The user's proxy. It resolves names itself, so we cannot judge a name by its addresses. */
  readonly proxy?: URL | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The host is, or resolves to, an address of this machine or its private network. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} leads to this machine or its private network`);
    this.name = "PrivateAddress";
  }
}

/** How a request is sent: its connection, the path in its request line, and additional headers, for a proxy. */
export interface Route {
  readonly connection: Duplex;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The route to an http or https address. For plain http, the proxy itself fetches the page, without a tunnel. */
export async function routeTo(url: URL, host: string, options: DialOptions): Promise<Route> {
  const { proxy, allowPrivate = false, signal } = options;
  if (proxy && url.protocol === "http:") {
    if (!allowPrivate) refusePrivate(host, options);
    // Fragments are never sent.
    const path = url.href.split("#")[0]!;
    return { connection: await connectToProxy(proxy, signal), path, headers: proxyHeaders(proxy) };
  }
  return { connection: await dial(host, portOf(url), options), path: url.pathname + url.search, headers: {} };
}

export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);

/** Connects to a canonical host; rejects with PrivateAddress or the system's error. */
export async function dial(host: string, port: number, options: DialOptions): Promise<Duplex> {
  const { proxy, allowPrivate = false, signal } = options;
  signal?.throwIfAborted();
  if (!allowPrivate) refusePrivate(host, options);
  if (proxy) return tunnelThrough(proxy, host, port, signal);
  return openSocket(connect({ host, port, lookup: checkedLookup(options) }), signal);
}

/** Throws for a literal private address. */
function refusePrivate(host: string, { ownAddresses = interfaceAddresses }: DialOptions): void {
  if (isIP(host) !== 0 && isPrivateAddress(host, ownAddresses())) throw new PrivateAddress(host);
}

/** The user chose the proxy, so its address is not judged. */
function connectToProxy(proxy: URL, signal?: AbortSignal): Promise<Duplex> {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  const place = { host, port: portOf(proxy) };
  return openSocket(
    proxy.protocol === "https:" ? connectSecure({ ...place, servername: host }) : connect(place),
    signal,
  );
}

/** Resolves once the socket is connected. */
function openSocket(socket: Socket, signal?: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void socket.destroy(signal?.reason);
    socket.setTimeout(CONNECT_PATIENCE_MS, () => {
      socket.destroy(Object.assign(new Error("the connection was not made in time"), { code: "ETIMEDOUT" }));
    });
    signal?.addEventListener("abort", giveUp, { once: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      signal?.removeEventListener("abort", giveUp);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** Queried each time, because a network may have come up since. */
export function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

function checkedLookup(dialing: DialOptions): LookupFunction {
  const { lookUp = systemAddresses, allowPrivate = false, ownAddresses = interfaceAddresses } = dialing;
  return (name, options, callback) => {
    lookUp(name).then(
      (found) => {
        const own = ownAddresses();
        const usable = allowPrivate ? [...found] : found.filter(({ address }) => !isPrivateAddress(address, own));
        const first = usable[0];
        if (!first) callback(new PrivateAddress(name), "", 0);
        else if (options.all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

const systemAddresses: LookUp = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

function tunnelThrough(proxy: URL, host: string, port: number, signal?: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const tunnel = askForTunnel(proxy, { host, port });
    const giveUp = (): void => void tunnel.destroy(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    tunnel.setTimeout(CONNECT_PATIENCE_MS, giveUp);
    tunnel.once("error", (error) => reject(new Error(`the proxy ${proxy.host} cannot be used: ${error.message}`)));
    tunnel.once("connect", ({ statusCode }, socket, head) => {
      signal?.removeEventListener("abort", giveUp);
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} refused it with status ${statusCode}`));
    });
    tunnel.end();
  });
}
