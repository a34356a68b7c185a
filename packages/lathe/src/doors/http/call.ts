// One request with its response, and the router that finds its handler. Handlers answer through the call; what they
// throw becomes a refusal.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { messageOf } from "@lathe/llm";
import { Refused } from "./refused.ts";
import { RESPONSE_HEADERS } from "./response-headers.ts";

export class Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Values of the route's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; for a repeated name, the first value. */
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

/** Converts a server's own errors to refusals; undefined for any other error. */
export type Explain = (error: unknown) => Refused | undefined;

export class Router {
  readonly #entries: Entry[] = [];
  readonly #explain: Explain;

  constructor(explain: Explain = () => undefined) {
    this.#explain = explain;
  }

  /**
   * Routes are tried in the order they were added. In `path`, parameters are in braces; a final `*` matches everything
   * below.
   */
  add(method: "GET" | "POST" | "*", path: string, handle: CallHandler): void {
    this.#entries.push({ method, parts: path.split("/").slice(1), handle });
  }

  /** `unknown` is the message for addresses without a route. */
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
    const part = decodePart(parts[at] ?? "");
    if (part === undefined) return undefined;
    if (!expected.startsWith("{")) {
      if (part !== expected) return undefined;
    } else if (part === "") return undefined;
    else params[expected.slice(1, -1)] = part;
  }
  return params;
}

/** Undefined if the encoding is invalid, or the part would change the path (`.` or `..`). */
function decodePart(part: string): string | undefined {
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

/** Answers a refused request. */
export type Refuse = (incoming: IncomingMessage, outgoing: ServerResponse, error: unknown) => void;

/** Builds the body of a refusal in the form that a server's clients expect. */
export type RefusalForm = (refusal: { readonly code: string; readonly message: string }) => object;

const flat: RefusalForm = (refusal) => refusal;

/** Also answers requests that do not pass the guard. */
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
    // The rest of a refused body is not read.
    ...(incoming.complete ? {} : { connection: "close" }),
  };
  endWhenRead(incoming, outgoing.writeHead(status, headers), body);
}

/** Bytes of a refused body to read and discard. */
const MOST_THROWN_AWAY = 64 << 20;
const SILENT_MS = 1000;

/**
 * Ends the response to a request that may not have been read completely. Closing the connection while the client still
 * writes would make the system discard the response before the client has read it.
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
