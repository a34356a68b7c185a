// URLs that the host serves, such as db://users/42: read and write tools reach it through the session's resolvers.

import type { Session } from "@lathe/agent";
import { SchemeRegistry, type SchemeResolver } from "@lathe/agent/contract";
import type { UriSchemeSpec } from "./commands.ts";
import type { HostUriResult } from "./frames.ts";
import { HostRequests } from "./host-requests.ts";

/** A host that takes longer than this has lost the request. */
const ANSWER_WITHIN_MS = 120_000;

export class HostUris {
  readonly #requests: HostRequests<HostUriResult>;
  readonly #send: (frame: object) => void;
  #schemes: readonly UriSchemeSpec[] = [];
  /** Sessions whose model was told about the present set. */
  #informed = new WeakSet<Session>();

  constructor(newId: () => string, send: (frame: object) => void) {
    this.#send = send;
    this.#requests = new HostRequests(newId, (targetId, id) => send({ type: "host_uri_cancel", id, targetId }));
  }

  /** Replaces the whole set. */
  set(specs: readonly UriSchemeSpec[], registry: SchemeRegistry): string[] {
    const next = specs.map((spec) => ({ ...spec, scheme: spec.scheme.toLowerCase() }));
    const own = new Set(this.#schemes.map(({ scheme }) => scheme));
    const clash = next.find(({ scheme }) => !own.has(scheme) && registry.handles(`${scheme}://`));
    if (clash) throw new Error(`${clash.scheme}:// is reserved by the agent. Choose another scheme.`);
    // Checks the names in a separate registry first, so that an invalid scheme does not leave half a set behind.
    new SchemeRegistry(Object.fromEntries(next.map((spec) => [spec.scheme, {}])));
    for (const scheme of own) registry.remove(scheme);
    for (const spec of next) registry.add(spec.scheme, this.#resolver(spec));
    this.#schemes = next;
    this.#informed = new WeakSet();
    return next.map(({ scheme }) => scheme);
  }

  /** Adds the schemes to a session that was opened later. */
  addTo(registry: SchemeRegistry): void {
    for (const spec of this.#schemes) registry.add(spec.scheme, this.#resolver(spec));
  }

  /** Tells the model once per session and set, before the next input. */
  announce(session: Session): void {
    if (this.#schemes.length === 0 || this.#informed.has(session)) return;
    this.#informed.add(session);
    const lines = this.#schemes.map(({ scheme, description, writable }) => {
      const access = writable ? "read, or written whole" : "read";
      return `- ${scheme}:// can be ${access}${description ? `: ${description}` : "."}`;
    });
    const text = `The read and write tools also accept these addresses as paths:\n${lines.join("\n")}`;
    session.appendCustomMessage("host_uri_schemes", text, { display: false });
  }

  result(frame: HostUriResult): void {
    this.#requests.answer(frame.id, frame);
  }
  hostGone(): void {
    this.#requests.hostGone();
  }

  #resolver({ writable }: UriSchemeSpec): SchemeResolver {
    const read: SchemeResolver = {
      read: async (url, signal) => {
        const { content = "", contentType = "text/plain" } = await this.#request({ operation: "read", url }, signal);
        return { bytes: Buffer.from(content), mediaType: contentType };
      },
    };
    if (!writable) return read;
    return {
      ...read,
      write: async (url, content, signal) => {
        await this.#request({ operation: "write", url, content: Buffer.from(content).toString("utf8") }, signal);
      },
    };
  }

  async #request(request: object, signal: AbortSignal): Promise<HostUriResult> {
    const send = (id: string): void => this.#send({ type: "host_uri_request", id, ...request });
    const reply = await this.#requests.ask(send, { signal, timeoutMs: ANSWER_WITHIN_MS });
    if (!reply) throw new Error("the host did not answer");
    if (reply.isError) throw new Error(reply.error ?? reply.content ?? "the host refused");
    return reply;
  }
}
