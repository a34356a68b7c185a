// One tab's access to the web: an HTTP proxy that asks for each host whether the tab may reach it, and connects through
// the gate.

import { setMaxListeners } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "@lathe/llm";

export interface TabProxyOptions {
  /** Connects through the gate. If that fails, the error's message is one line that says why. */
  connect(host: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Why the tab may not reach the host; undefined if it may. */
  refuse(host: string, port: number): Promise<string | undefined>;
  /** Reports a host that was not reached, and why. */
  onProblem(host: string, reason: string): void;
}

/** Headers that concern only the hop to this proxy. */
const HOP_HEADERS = ["proxy-connection", "proxy-authorization", "proxy-authenticate"];

export class TabProxy {
  readonly #options: TabProxyOptions;
  readonly #server: Server;
  readonly #agent: Agent;
  readonly #ended = new AbortController();

  constructor(options: TabProxyOptions) {
    this.#options = options;
    // A page opens many connections at once, and each listens to this signal until it is established.
    setMaxListeners(0, this.#ended.signal);
    this.#agent = new GateAgent((host, port) => options.connect(host, port, this.#ended.signal));
    this.#server = createServer((asked, answer) => void this.#forward(asked, answer));
    this.#server.on(
      "connect",
      (asked: IncomingMessage, inside: Duplex, head: Buffer) => void this.#tunnel(asked, inside, head),
    );
    // A page may wait for its server as long as it likes.
    this.#server.requestTimeout = 0;
  }

  /** `at`: a path, or a host whose port the system chooses. */
  async listen(at: { readonly path: string } | { readonly host: string; readonly port: 0 }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(at, resolve);
    });
    this.#server.unref();
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  close(): void {
    this.#ended.abort();
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Forwards https and WebSockets. */
  async #tunnel(asked: IncomingMessage, inside: Duplex, head: Buffer): Promise<void> {
    inside.on("error", () => inside.destroy());
    const [, host = "", port = "443"] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(asked.url ?? "") ?? [];
    const outside = await this.#connect(host, Number(port));
    if (outside === undefined) {
      inside.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n");
      return;
    }
    inside.write("HTTP/1.1 200 Connection established\r\n\r\n");
    outside.write(head);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => to.destroy());
    }
  }

  async #connect(host: string, port: number): Promise<Duplex | undefined> {
    if (!(await this.#mayReach(host, port))) return undefined;
    try {
      return await this.#options.connect(host, port, this.#ended.signal);
    } catch (error) {
      this.#options.onProblem(placeOf(host, port), messageOf(error));
      return undefined;
    }
  }

  async #mayReach(host: string, port: number): Promise<boolean> {
    const why = await this.#options.refuse(host, port);
    if (why !== undefined) this.#options.onProblem(placeOf(host, port), why);
    return why === undefined;
  }

  /** Forwards plain http. A request that cannot be forwarded gets no answer: ours would look like the server's. */
  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    answer.on("error", () => {});
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : undefined;
    const host = url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
    const port = Number(url?.port) || 80;
    if (url?.protocol !== "http:" || !(await this.#mayReach(host, port))) {
      asked.socket.destroy();
      return;
    }
    this.#exchange(url, asked, answer, true);
  }

  #exchange(url: URL, asked: IncomingMessage, answer: ServerResponse, mayRetry: boolean): void {
    const { method = "GET" } = asked;
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = Number(url.port) || 80;
    const headers = { ...asked.headers, host: url.host };
    for (const name of HOP_HEADERS) delete (headers as Record<string, unknown>)[name];
    const sent = request({ agent: this.#agent, host, port, method, path: url.pathname + url.search, headers });
    const giveUp = (): void => {
      sent.destroy();
    };
    answer.once("close", giveUp);
    sent.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.statusMessage, response.rawHeaders);
      response.pipe(answer);
      response.once("error", () => answer.destroy());
    });
    sent.once("error", (error) => {
      answer.off("close", giveUp);
      // The server may close a kept connection at the very moment we reuse it.
      if (mayRetry && sent.reusedSocket && !answer.headersSent && (method === "GET" || method === "HEAD"))
        this.#exchange(url, asked, answer, false);
      else {
        if (!answer.destroyed && !answer.headersSent) this.#options.onProblem(placeOf(host, port), messageOf(error));
        asked.socket.destroy();
      }
    });
    if (method === "GET" || method === "HEAD") sent.end();
    else asked.pipe(sent);
  }
}

/** A host and port as addresses write them. */
export function placeOf(host: string, port: number): string {
  const name = host.includes(":") ? `[${host}]` : host.toLowerCase().replace(/\.$/, "");
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}

/** Keeps connections through the gate for reuse: to another machine, each one costs a process. */
class GateAgent extends Agent {
  readonly #connect: (host: string, port: number) => Promise<Duplex>;

  constructor(connect: (host: string, port: number) => Promise<Duplex>) {
    super({ keepAlive: true, maxSockets: 32 });
    this.#connect = connect;
  }

  override createConnection(
    options: { host?: string | null; port?: string | number | null },
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#connect(options.host ?? "", Number(options.port)).then(
      (stream) => done?.(null, withSwitches(stream)),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  }
}

/**
 * A connection of another environment is not a socket of this machine, but the agent calls a socket's methods on it.
 */
function withSwitches(stream: Duplex): Duplex {
  const returnStream = (): Duplex => stream;
  const missing = ["ref", "unref", "setKeepAlive", "setTimeout", "setNoDelay"].filter((name) => !(name in stream));
  return Object.assign(stream, Object.fromEntries(missing.map((name) => [name, returnStream])));
}
