// One request and its answer, and which handler an address belongs to. Handlers answer through the call; what they throw becomes a
// refusal.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { messageOf } from "@lathe/llm";
import { Refused } from "./refused.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";

export class Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Parts of the address that the route names. */
  readonly params: Readonly<Record<string, string>>;
  /** What stands behind the question mark; of a name that is there twice, the first value. */
  readonly query: Readonly<Record<string, string>>;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, { params, query }: Address) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.params = params;
    this.query = Object.fromEntries([...new URLSearchParams(query)].reverse());
  }

  json(value: unknown, status = 200, headers: OutgoingHttpHeaders = {}): void {
    this.send(JSON.stringify(value), status, { "content-type": "application/json", ...headers });
  }

  text(text: string): void {
    this.send(text, 200, { "content-type": "text/plain; charset=utf-8" });
  }

  send(body: string | Uint8Array | undefined, status: number, headers: OutgoingHttpHeaders): void {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    this.outgoing.writeHead(status, { ...RESPONSE_HEADERS, ...length, ...headers }).end(body);
  }
}

interface Address {
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

export type CallHandler = (call: Call) => void | Promise<void>;

interface Entry {
  readonly method: string;
  readonly parts: readonly string[];
  readonly handle: CallHandler;
}

/** Answers a request that has passed the guard. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** What a server says of an error of its own kind; undefined for one that it does not know. */
export type Explain = (error: unknown) => Refused | undefined;

export class Router {
  readonly #entries: Entry[] = [];
  readonly #explain: Explain;

  constructor(explain: Explain = () => undefined) {
    this.#explain = explain;
  }

  /** In the order in which they are tried. `path`: parameters stand in braces; a `*` at the end is everything below. */
  add(method: "GET" | "POST" | "*", path: string, handle: CallHandler): void {
    this.#entries.push({ method, parts: path.split("/").slice(1), handle });
  }

  /** `unknown`: what is said of an address that is none. */
  answer(unknown: string, say: Refuse = refuse): Answer {
    return async (incoming, outgoing) => {
      const [path = "", query = ""] = splitAt(incoming.url ?? "", "?");
      let call = new Call(incoming, outgoing, { params: {}, query: "" });
      try {
        const found = this.#find(incoming.method ?? "", path);
        if (found === undefined) throw new Refused(404, "unknown_address", unknown);
        call = new Call(incoming, outgoing, { params: found.params, query });
        await found.handle(call);
      } catch (error) {
        if (outgoing.headersSent) outgoing.destroy();
        else say(incoming, outgoing, error instanceof Refused ? error : (this.#explain(error) ?? error));
      }
    };
  }

  #find(
    method: string,
    path: string,
  ): { readonly handle: CallHandler; readonly params: Record<string, string> } | undefined {
    if (!path.startsWith("/")) return undefined;
    const parts = path.slice(1).split("/");
    // Node sends no body in answer to HEAD.
    const asked = method === "HEAD" ? "GET" : method;
    for (const entry of this.#entries) {
      if (entry.method !== "*" && entry.method !== asked) continue;
      const params = paramsOf(entry.parts, parts);
      if (params) return { handle: entry.handle, params };
    }
    return undefined;
  }
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  const isOpen = pattern.at(-1) === "*";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, expected] of fixed.entries()) {
    const part = decoded(parts[at] ?? "");
    if (part === undefined) return undefined;
    if (!expected.startsWith("{")) {
      if (part !== expected) return undefined;
    } else if (part === "") return undefined;
    else params[expected.slice(1, -1)] = part;
  }
  return params;
}

/** Undefined when it is no proper encoding, or would lead elsewhere in a path. */
function decoded(part: string): string | undefined {
  try {
    const text = decodeURIComponent(part);
    return text === "." || text === ".." ? undefined : text;
  } catch {
    return undefined;
  }
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Answers a request that is refused. */
export type Refuse = (incoming: IncomingMessage, outgoing: ServerResponse, error: unknown) => void;

/** The body of a refusal, as the clients of a server read it. */
export type RefusalForm = (refusal: { readonly code: string; readonly message: string }) => object;

const flat: RefusalForm = (refusal) => refusal;

/** Also what does not pass the guard is told why. */
export function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  form: RefusalForm = flat,
): void {
  const { status, code, message, retryAfter } =
    error instanceof Refused ? error : new Refused(500, "failed", messageOf(error));
  const body = JSON.stringify(form({ code, message }));
  const headers = {
    ...RESPONSE_HEADERS,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    // What is left of a refused body is not read.
    ...(incoming.complete ? {} : { connection: "close" }),
  };
  endWhenRead(incoming, outgoing.writeHead(status, headers), body);
}

/** So much of a body that was refused is still taken, and thrown away. */
const MOST_THROWN_AWAY = 64 << 20;
const SILENT_MS = 1000;

/**
 * Ends an answer to a request that may not have been read whole. If the connection were closed while the client still writes, the
 * system would throw the answer away before the client has read it.
 */
export function endWhenRead(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  if (incoming.complete || incoming.destroyed) {
    outgoing.end(body);
    return;
  }
  outgoing.write(body);
  let size = 0;
  const end = (): void => void outgoing.end();
  incoming.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_THROWN_AWAY) end();
  });
  incoming.once("end", end).once("close", end).setTimeout(SILENT_MS, end);
  incoming.resume();
}
