// The way from a sandbox to allowed hosts: our HTTP proxy on a unix socket outside, and a bridge inside from a loopback
// port to it. The proxy resolves names itself, so nothing inside decides where a connection goes.

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { proxyFor } from "@lathe/llm";
import { canonicalHost, isLoopbackHost, urlHost } from "../../net/address.ts";
import { type DialOptions, dial, type LookUp, PrivateAddress, portOf, routeTo } from "../../net/dial.ts";
import type { ProgramArgv } from "../../process/types.ts";
import type { NetworkDoor } from "./network-door.ts";

const BRIDGE_PORT = 3128;
const ADDRESS = `http://127.0.0.1:${BRIDGE_PORT}`;

/** Runs inside: forwards every connection on the port to the socket. Arguments: the socket and the port. */
const BRIDGE_SCRIPT = `
const net = require("node:net");
const [socket, port] = process.argv.slice(1);
net.createServer((inside) => {
  const outside = net.connect(socket);
  for (const [a, b] of [[inside, outside], [outside, inside]]) { a.pipe(b); a.on("error", () => b.destroy()); a.on("close", () => b.destroy()); }
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));`;

export interface ProxyOptions {
  /** `host`, `*.host` or `host:port`; without a port, the ports of HTTP and HTTPS. */
  readonly allowed: readonly string[];
  /** Path of node, which runs the bridge. */
  readonly node: string;
  /** The user's variables, including those that configure a proxy. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** The name resolver; the system's if absent. */
  readonly lookUp?: LookUp | undefined;
}

/** Whether a host and port are on the list. */
export function isAllowed(host: string, port: number, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [, pattern = entry, ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (ownPort === undefined ? port !== 80 && port !== 443 : port !== Number(ownPort)) return false;
    const name = host.toLowerCase().replace(/\.$/, "");
    const isBelow = pattern.startsWith("*.") && isIP(name) === 0;
    return isBelow ? name.endsWith(pattern.slice(1)) : name === pattern.replace(/^\[(.*)\]$/, "$1");
  });
}

export class SandboxProxy implements NetworkDoor {
  readonly allowed: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly #options: ProxyOptions;
  #server: Server | undefined;

  constructor(options: ProxyOptions) {
    this.allowed = options.allowed;
    this.#options = options;
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
    return [this.#options.node, "-e", BRIDGE_SCRIPT, socket, String(BRIDGE_PORT)];
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
    try {
      const place = this.#judge(host, Number(port));
      const url = new URL(`${port === "80" ? "http" : "https"}://${urlHost(place)}:${port}`);
      const outside = await dial(place, Number(port), this.#dialOptions(place, url));
      outside.on("error", () => inside.destroy());
      inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
      outside.write(head);
      inside.pipe(outside).pipe(inside);
      outside.once("close", () => inside.destroy());
      inside.once("close", () => outside.destroy());
    } catch (error) {
      const [status, text] = refusal(error, host, port);
      inside.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}`);
    }
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : undefined;
    try {
      if (url?.protocol !== "http:") throw new NotAllowed();
      const place = this.#judge(url.hostname, portOf(url));
      const route = await routeTo(url, place, this.#dialOptions(place, url));
      const outside = request(
        {
          createConnection: () => route.connection,
          method: asked.method,
          path: route.path,
          headers: { ...asked.headers, host: url.host, ...route.headers },
        },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
        },
      );
      outside.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
      answer.on("close", () => outside.destroy());
      asked.pipe(outside);
    } catch (error) {
      const [status, text] = refusal(error, url?.hostname ?? "", String(url ? portOf(url) : 80));
      answer.writeHead(Number.parseInt(status, 10), { "content-type": "text/plain" }).end(text);
    }
  }

  /** The canonical host to connect to; refuses hosts that are not allowed. */
  #judge(host: string, port: number): string {
    const place = canonicalHost(host);
    if (place === undefined || !isAllowed(place, port, this.allowed)) throw new NotAllowed();
    return place;
  }

  /** A name that resolves to a private address is refused; users who need it allow the address itself. */
  #dialOptions(place: string, url: URL): DialOptions {
    const { lookUp, variables = {} } = this.#options;
    return { allowPrivate: isIP(place) !== 0 || isLoopbackHost(place), lookUp, proxy: proxyFor(url, variables) };
  }
}

class NotAllowed extends Error {}

function refusal(error: unknown, host: string, port: string): readonly [status: string, text: string] {
  if (error instanceof NotAllowed) return ["403 Forbidden", blockedMessage(host, port)];
  if (!(error instanceof PrivateAddress)) return ["502 Bad Gateway", ""];
  return [
    "403 Forbidden",
    `${host}:${port} was blocked by the sandbox: it leads to a private address. Allow the address itself (sandbox.network).\n`,
  ];
}

const blockedMessage = (host: string, port: string): string =>
  `${host}:${port} was blocked by the sandbox: it is not among the allowed hosts (sandbox.network).\n`;
