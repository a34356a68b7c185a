// What passes the gate and how: a host is judged, then connected to. Loopback means that of the environment, where only ports of the
// session and those that the user has typed are open.

import { connect as connectPlain } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecure } from "node:tls";
import { messageOf, proxyFor } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import { canonicalHost, isLoopbackHost, loopbackNames } from "../../../world/net/address.ts";
import { dial, openSocket, PrivateAddress, refusePrivate } from "../../../world/net/dial.ts";
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
  /** Addresses as the user typed them; shared by the gates of a session. */
  readonly #typed: ReadonlySet<string>;
  #hostsFile: Promise<ReadonlySet<string>> | undefined;

  constructor(options: GateOptions, typed: ReadonlySet<string>) {
    this.#options = options;
    this.#typed = typed;
  }

  async request(request: GateRequest, signal: AbortSignal): Promise<GateResponse> {
    const { url } = request;
    const place = placeOf(url.hostname, Number(url.port) || (url.protocol === "https:" ? 443 : 80));
    const proxy = this.#proxyFor(url, place);
    const isLoopback = await this.#isLoopback(place.host);
    const connection = await this.#named(url.href, async () => {
      if (isLoopback) return this.#loopback(place, signal);
      if (!proxy || url.protocol === "https:") return this.#dial(place, proxy, signal);
      // A proxy is asked for a plain page itself: there is no tunnel. What it is asked for is judged all the same.
      if (!this.#options.allowPrivate) refusePrivate(place.host);
      return connectTo(proxy, signal);
    });
    return exchange(request, connection, {
      signal,
      checksCertificate: !isLoopback,
      proxy: isLoopback || url.protocol === "https:" ? undefined : proxy,
    });
  }

  async connect(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const place = placeOf(host, port);
    return this.#named(`${host}:${port}`, async () => {
      if (await this.#isLoopback(place.host)) return this.#loopback(place, signal);
      const scheme = port === 80 ? "http" : "https";
      return this.#dial(place, this.#proxyFor(new URL(`${scheme}://${urlHost(place.host)}:${port}`), place), signal);
    });
  }

  async isOwn(host: string, port: number): Promise<boolean> {
    const known = canonicalHost(host);
    return known !== undefined && (await this.#isLoopback(known)) && (await this.#ownsPort(port));
  }

  #dial({ host, port }: Place, proxy: URL | undefined, signal: AbortSignal): Promise<Duplex> {
    const { allowPrivate, lookUp } = this.#options;
    return dial(host, port, { allowPrivate, lookUp, proxy, signal });
  }

  async #loopback({ host, port }: Place, signal: AbortSignal): Promise<Duplex> {
    const { env, allowPrivate } = this.#options;
    if (!allowPrivate && !(await this.#isTyped(port)) && !(await this.#ownsPort(port)))
      throw new ToolFailure(
        `${urlHost(host)}:${port} is closed: no process of this session listens there, or another program does too. Start the server in this session; or the user names the address in a prompt, or sets web.allowPrivate.`,
      );
    return env.connect(port, { signal });
  }

  async #ownsPort(port: number): Promise<boolean> {
    return (await this.#options.env.ownsPort?.(port)) ?? false;
  }

  async #isTyped(port: number): Promise<boolean> {
    for (const address of this.#typed) {
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url === undefined || (Number(url.port) || (url.protocol === "https:" ? 443 : 80)) !== port) continue;
      if (await this.#isLoopback(canonicalHost(url.hostname) ?? "")) return true;
    }
    return false;
  }

  async #isLoopback(host: string): Promise<boolean> {
    if (isLoopbackHost(host)) return true;
    this.#hostsFile ??= this.#options.env.readFile("/etc/hosts").then(loopbackNames, () => new Set());
    return (await this.#hostsFile).has(host);
  }

  #proxyFor(url: URL, { host }: Place): URL | undefined {
    const proxy = isLoopbackHost(host) ? undefined : proxyFor(url, this.#options.variables ?? {});
    if (proxy) this.#options.onNotice?.(BEHIND_PROXY);
    return proxy;
  }

  /** Failures of connecting as results for the model. */
  async #named(address: string, connect: () => Promise<Duplex>): Promise<Duplex> {
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
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

function placeOf(host: string, port: number): Place {
  const known = canonicalHost(host);
  if (known === undefined) throw new ToolFailure(`"${host}" is not the name or address of a host.`);
  return { host: known, port };
}

/** The user's own choice, so its address is not judged. */
function connectTo({ protocol, hostname, port }: URL, signal: AbortSignal): Promise<Duplex> {
  const host = canonicalHost(hostname) ?? hostname;
  const isSecure = protocol === "https:";
  const place = { host, port: Number(port) || (isSecure ? 443 : 80) };
  return openSocket(isSecure ? connectSecure({ ...place, servername: host }) : connectPlain(place), signal);
}
