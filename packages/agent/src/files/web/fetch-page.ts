// Fetches one page within limits: redirects are counted and each is judged by the gate; size and time are bounded.

import type { IncomingHttpHeaders } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolFailure } from "../../contract/tool.ts";
import type { GateRequest, GateResponse, WebGate } from "./gate/types.ts";

/** How large and how slow a page may be. */
export interface FetchLimits {
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  /** Why a redirect is not followed; returns undefined if it is. If absent, every redirect is followed. */
  readonly redirectProblem?: RedirectProblem | undefined;
}

/** Why a redirect must not be followed. `isLoopback`: it came from loopback. */
export type RedirectProblem = (from: URL, to: URL, isLoopback: boolean) => string | undefined;

/** The request, besides the address. */
export interface FetchOptions extends FetchLimits, Omit<GateRequest, "url"> {}

/** A page as received, decompressed. */
export interface FetchedPage {
  /** The address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly mediaType: string;
  /** As stated by the server. */
  readonly charset?: string;
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly isLoopback: boolean;
}

const HEADERS = {
  accept: "text/markdown,text/html;q=0.95,text/plain,application/json;q=0.9,*/*;q=0.5",
  "accept-encoding": "gzip, br, deflate",
  "user-agent": "lathe",
};

/** The caller's own headers are for the first host: after a redirect to another host, only `accept` is sent. */
export async function fetchPage(
  gate: WebGate,
  address: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedPage> {
  // We avoid AbortSignal.timeout: when it is combined with another signal, Node 20 garbage-collects it and it never
  // fires.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), options.timeoutMs);
  try {
    return await follow(gate, address, options, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted) throw new ToolFailure(`${address} was not fetched: interrupted.`);
    if (!late.signal.aborted) throw error;
    throw new ToolFailure(`${address} did not answer in ${secondsText(options.timeoutMs)}.`);
  } finally {
    clearTimeout(timer);
  }
}

export const secondsText = (ms: number): string => `${ms / 1000} second${ms === 1000 ? "" : "s"}`;

async function follow(
  gate: WebGate,
  address: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { headers: own = {}, method, body: sentBody, maxRedirects, maxBytes } = options;
  let request: GateRequest = {
    url: parse(address),
    headers: {
      ...HEADERS,
      ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
    },
    method,
    body: sentBody,
  };
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const response = await gate.request(request, signal);
    const { status, headers, isLoopback = false } = response;
    const { location } = headers;
    if (status >= 300 && status < 400 && location) {
      response.body.destroy();
      const next = redirect(request, status, location);
      const problem = options.redirectProblem?.(request.url, next.url, isLoopback);
      if (problem !== undefined) throw notFollowed(request.url, next.url, problem);
      request = next;
      continue;
    }
    const { body, truncated } = await readBody(response, maxBytes);
    const contentType = headers["content-type"] ?? "";
    const mediaType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
    const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
    const named = charset === undefined ? {} : { charset };
    return { url: request.url.href, status, headers, mediaType, ...named, body, truncated, isLoopback };
  }
  throw new ToolFailure(`${address} redirected more than ${maxRedirects} times.`);
}

const notFollowed = (from: URL, to: URL, problem: string): ToolFailure =>
  new ToolFailure(
    `${from.href} redirects to ${to.href}, which was not followed. ${problem} Read that address itself if you need it.`,
  );

/** The caller's headers may contain a token, which belongs only to the host it was given for. */
function redirect(
  { url: from, method = "GET", headers = {}, body }: GateRequest,
  status: number,
  to: string,
): GateRequest {
  if (!URL.canParse(to, from)) throw new ToolFailure(`${from.href} redirects to "${to}", which is not an address.`);
  const url = parse(new URL(to, from).href);
  const isSame = url.host === from.host && (url.protocol === from.protocol || url.protocol === "https:");
  const isRead = method === "GET" || method === "HEAD";
  const kept = isSame ? headers : { ...HEADERS, ...("accept" in headers ? { accept: headers["accept"]! } : {}) };
  if (isRead || status <= 303) return { url, method: isRead ? method : "GET", headers: kept };
  if (isSame) return { url, method, headers, body };
  throw new ToolFailure(`${from.href} redirects the request body to ${url.host}, which is another host.`);
}

function parse(address: string): URL {
  if (!/^[a-z][a-z\d+.-]*:/i.test(address) || /^[\w.-]+:\d+(?:[/?#]|$)/.test(address)) {
    const scheme = /^(?:localhost|\d+(?:\.\d+){3})\b/i.test(address) ? "http" : "https";
    const full = `${scheme}://${address}`;
    const hint = URL.canParse(full) && /[.:]|^localhost/.test(address) ? full : "https://example.org/page";
    throw new ToolFailure(`"${address}" has no scheme. Give a full address such as ${hint}.`);
  }
  if (!URL.canParse(address))
    throw new ToolFailure(`"${address}" is not a URL. Give a full address such as https://example.org/page.`);
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolFailure(`${url.protocol} addresses cannot be fetched; use http or https.`);
  }
  if (url.username || url.password) throw new ToolFailure("The address contains a password. Leave the password out.");
  return url;
}

const UNPACKERS: ReadonlyMap<string | undefined, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["br", createBrotliDecompress],
  ["deflate", createInflate],
]);

async function readBody(
  { headers, body }: GateResponse,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const unpack = UNPACKERS.get(headers["content-encoding"]);
  // A pipeline rather than a pipe: a response that ends early must end the decompression, too. The reader below gets
  // the error.
  const stream = unpack === undefined ? body : pipeline(body, unpack(), () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
    }
  } catch (error) {
    throw new ToolFailure(`The response ended early: ${(error as Error).message}.`);
  } finally {
    body.destroy();
  }
  return { body: Buffer.concat(chunks), truncated: false };
}
