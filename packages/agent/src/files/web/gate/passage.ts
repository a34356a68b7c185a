// What passes the gate and how: a host is judged, then connected to. Loopback means the environment's, where only ports
// of the session and those that the user typed are open; the same applies to the addresses of this machine's
// interfaces.

import type { Duplex } from "node:stream";
import { messageOf, proxyFor } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import { canonicalHost, isAmong, isLoopbackHost, loopbackNames, urlHost } from "../../../world/net/address.ts";
import {
  type DialOptions,
  dial,
  interfaceAddresses,
  PrivateAddress,
  portOf,
  routeTo,
} from "../../../world/net/dial.ts";
import { EnvError } from "../../../world/process/types.ts";
import { exchange } from "./exchange.ts";
import type { GateOptions, GateRequest, GateResponse } from "./types.ts";

const BEHIND_PROXY =
  "Web requests go through your proxy, which looks names up itself: names and literal addresses are checked, but not where a name leads.";

interface Place {
  readonly host: string;
  readonly port: number;
}

export class Passage {
  readonly #options: GateOptions;
  /** Addresses as the user typed them; the gates of a session share them. */
  readonly #typed: ReadonlySet<string>;
  readonly #asking = new Map<number, Promise<boolean>>();
  #hostsFile: Promise<ReadonlySet<string>> | undefined;

  constructor(options: GateOptions, typed: ReadonlySet<string>) {
    this.#options = options;
    this.#typed = typed;
  }

  async request(request: GateRequest, signal: AbortSignal): Promise<GateResponse> {
    const { url } = request;
    const place = placeOf(url.hostname, portOf(url));
    const isLoopback = await this.#isLoopback(place.host);
    const route = await withToolFailure(url.href, async () => {
      if (!isLoopback) return routeTo(url, place.host, this.#dialOptions(url, signal));
      return { connection: await this.#loopback(place, signal), path: url.pathname + url.search, headers: {} };
    });
    return { ...(await exchange(request, route, { signal, checksCertificate: !isLoopback })), isLoopback };
  }

  connect(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return withToolFailure(`${host}:${port}`, async () => {
      const place = placeOf(host, port);
      if (await this.#isLoopback(place.host)) return this.#loopback(place, signal);
      const url = new URL(`${port === 80 ? "http" : "https"}://${urlHost(place.host)}:${port}`);
      return dial(place.host, port, this.#dialOptions(url, signal));
    });
  }

  async isLoopback(host: string): Promise<boolean> {
    const known = canonicalHost(host);
    return known !== undefined && this.#isLoopback(known);
  }

  async isOwn(host: string, port: number): Promise<boolean> {
    const known = canonicalHost(host);
    return known !== undefined && (await this.#isLoopback(known)) && (await this.#ownsPort(port));
  }

  async isClosed(host: string, port: number): Promise<boolean> {
    const known = canonicalHost(host);
    return known !== undefined && (await this.#isLoopback(known)) && !(await this.#isOpen(port));
  }

  #dialOptions(url: URL, signal: AbortSignal): DialOptions {
    const { allowPrivate, lookUp, ownAddresses, variables = {}, onNotice } = this.#options;
    const proxy = proxyFor(url, variables);
    if (proxy) onNotice?.(BEHIND_PROXY);
    return { allowPrivate, lookUp, ownAddresses, proxy, signal };
  }

  async #loopback({ host, port }: Place, signal: AbortSignal): Promise<Duplex> {
    const { env } = this.#options;
    if (!(await this.#isOpen(port)))
      throw new ToolFailure(
        `${urlHost(host)}:${port} is closed: no process of this session listens there, or another program does too. Start the server in this session; or the user names the address in a prompt, or sets web.allowPrivate.`,
      );
    return env.connect(port, { signal });
  }

  async #isOpen(port: number): Promise<boolean> {
    return this.#options.allowPrivate || (await this.#isTyped(port)) || (await this.#ownsPort(port));
  }

  /** A page opens many connections to one port at once, and on another machine each check takes a while. */
  #ownsPort(port: number): Promise<boolean> {
    const { env } = this.#options;
    const asking = this.#asking.get(port) ?? Promise.resolve(env.ownsPort?.(port) ?? false);
    this.#asking.set(port, asking);
    return asking.finally(() => this.#asking.delete(port));
  }

  async #isTyped(port: number): Promise<boolean> {
    for (const address of this.#typed) {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url === undefined || portOf(url) !== port) continue;
      if (await this.#isLoopback(canonicalHost(url.hostname) ?? "")) return true;
    }
    return false;
  }

  async #isLoopback(host: string): Promise<boolean> {
    const { allowPrivate, ownAddresses = interfaceAddresses } = this.#options;
    // Programs that listen on all interfaces listen there, too. If everything is open, we connect to the address
    // itself.
    if (isLoopbackHost(host) || (!allowPrivate && isAmong(host, ownAddresses()))) return true;
    this.#hostsFile ??= this.#options.env.readFile("/etc/hosts").then(loopbackNames, () => new Set());
    return (await this.#hostsFile).has(host);
  }
}

/** Turns connection errors into tool failures for the model. */
async function withToolFailure<T>(address: string, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    if (error instanceof PrivateAddress)
      throw new ToolFailure(
        `${error.message}, which is not allowed. The user can allow it with the setting web.allowPrivate.`,
      );
    const reason = error instanceof EnvError ? error.message : (codeOf(error) ?? messageOf(error));
    throw new ToolFailure(`${address} could not be reached: ${reason.replace(/\.$/, "")}.`);
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function placeOf(host: string, port: number): Place {
  const known = canonicalHost(host);
  if (known === undefined) throw new ToolFailure(`"${host}" is not the name or address of a host.`);
  return { host: known, port };
}
