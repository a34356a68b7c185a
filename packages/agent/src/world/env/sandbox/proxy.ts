// The way from a sandbox to allowed hosts: an HTTP proxy of ours on a unix socket outside, and a bridge inside that leads from a
// loopback port to it. The proxy looks names up itself, so nothing inside decides where a connection goes.

import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { BlockList, connect, isIP } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { ProgramArgv } from "../../process/types.ts";
import type { NetworkDoor } from "./network-door.ts";

const BRIDGE_PORT = 3128;
const ADDRESS = `http://127.0.0.1:${BRIDGE_PORT}`;
const CONNECT_PATIENCE_MS = 30_000;

/** Runs inside: every connection to the port continues at the socket. Arguments: the socket and the port. */
const BRIDGE_SCRIPT = `
const net = require("node:net");
const [socket, port] = process.argv.slice(1);
net.createServer((inside) => {
  const outside = net.connect(socket);
  for (const [a, b] of [[inside, outside], [outside, inside]]) { a.pipe(b); a.on("error", () => b.destroy()); a.on("close", () => b.destroy()); }
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));`;

export interface ProxyOptions {
  /** `host`, `*.host` or `host:port`; without a port, those of HTTP and HTTPS. */
  readonly allowed: readonly string[];
  /** Node, to run the bridge with. */
  readonly node: string;
}

/** Addresses of this machine and of private networks: a public name must not lead there. */
const PRIVATE = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE.addSubnet(net, bits);
for (const [net, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE.addSubnet(net, bits, "ipv6");

/** Whether a host and port are on the list. */
export function isAllowed(host: string, port: number, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [, pattern = entry, ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (ownPort === undefined ? port !== 80 && port !== 443 : port !== Number(ownPort)) return false;
    const name = host.toLowerCase().replace(/\.$/, "");
    return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
  });
}

export class SandboxProxy implements NetworkDoor {
  readonly allowed: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly #node: string;
  #server: Server | undefined;

  constructor({ allowed, node }: ProxyOptions) {
    this.allowed = allowed;
    this.#node = node;
    const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
    this.variables = {
      ...Object.fromEntries(names.map((name) => [name, ADDRESS])),
      no_proxy: "localhost,127.0.0.1,::1",
      NO_PROXY: "localhost,127.0.0.1,::1",
      NODE_USE_ENV_PROXY: "1",
    };
  }

  async open(folder: string): Promise<ProgramArgv> {
    const socket = join(folder, "proxy");
    if (this.#server === undefined) {
      const server = createServer((asked, answer) => void this.#forward(asked, answer));
      server.on("connect", (asked, inside, head) => void this.#tunnel(asked, inside, head));
      this.#server = server;
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(socket, resolve);
      });
      server.unref();
    }
    return [this.#node, "-e", BRIDGE_SCRIPT, socket, String(BRIDGE_PORT)];
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async #tunnel(asked: IncomingMessage, inside: Duplex, head: Buffer): Promise<void> {
    inside.on("error", () => inside.destroy());
    const [, host = "", port = "443"] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(asked.url ?? "") ?? [];
    const address = await this.#addressOf(host, Number(port));
    if (address === undefined) {
      inside.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${blockedMessage(host, port)}`,
      );
      return;
    }
    const outside = connect({ host: address, port: Number(port), timeout: CONNECT_PATIENCE_MS });
    outside.once("timeout", () => outside.destroy());
    outside.once("connect", () => {
      outside.setTimeout(0);
      inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
      outside.write(head);
      inside.pipe(outside);
      outside.pipe(inside);
    });
    outside.once("error", () => inside.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n"));
    outside.once("close", () => inside.destroy());
    inside.once("close", () => outside.destroy());
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : undefined;
    const port = Number(url?.port || 80);
    const address = url?.protocol === "http:" ? await this.#addressOf(url.hostname, port) : undefined;
    if (url === undefined || address === undefined) {
      answer.writeHead(403, { "content-type": "text/plain" }).end(blockedMessage(url?.hostname ?? "", String(port)));
      return;
    }
    const { method, headers } = asked;
    const path = url.pathname + url.search;
    const outside = request(
      { host: address, port, method, path, headers: { ...headers, host: url.host } },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    outside.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    answer.on("close", () => outside.destroy());
    asked.pipe(outside);
  }

  /** Undefined when it may not be reached. A name that leads to a private address is only allowed when the address itself is. */
  async #addressOf(host: string, port: number): Promise<string | undefined> {
    if (!isAllowed(host, port, this.allowed)) return undefined;
    if (isIP(host) !== 0 || host === "localhost") return host;
    const found = await lookup(host).catch(() => undefined);
    if (found === undefined) return undefined;
    return PRIVATE.check(found.address, found.family === 6 ? "ipv6" : "ipv4") ? undefined : found.address;
  }
}

const blockedMessage = (host: string, port: string): string =>
  `${host}:${port} was blocked by the sandbox: it is not among the allowed hosts (sandbox.network).\n`;
