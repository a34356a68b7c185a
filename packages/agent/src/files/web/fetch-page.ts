// Fetches one page within limits: address check at connect time, redirects counted and checked again, size and time bounded.

import { lookup as dnsLookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolFailure } from "../../contract/tool.ts";
import { isPrivateAddress } from "./address.ts";

/** How large and how slow a page may be, and whether private addresses may be fetched. */
export interface FetchLimits {
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly timeoutMs: number;
  readonly allowPrivate: boolean;
}

export interface FetchedPage {
  /** The address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** As the server names it. */
  readonly charset?: string;
  readonly body: Buffer;
  readonly truncated: boolean;
}

export async function fetchPage(address: string, limits: FetchLimits, signal: AbortSignal): Promise<FetchedPage> {
  // We avoid AbortSignal.timeout: joined with another signal, Node 20 collects it as garbage and it never fires.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.timeoutMs);
  try {
    return await follow(address, limits, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted) throw new ToolFailure(`${address} was not fetched: interrupted.`);
    if (!late.signal.aborted) throw error;
    throw new ToolFailure(`${address} did not answer in ${limits.timeoutMs / 1000} seconds.`);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(address: string, limits: FetchLimits, signal: AbortSignal): Promise<FetchedPage> {
  let url = parse(address);
  for (let hops = 0; hops <= limits.maxRedirects; hops++) {
    const response = await send(url, limits, signal);
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (status >= 300 && status < 400 && location) {
      response.destroy();
      url = parse(new URL(location, url).href);
      continue;
    }
    const { body, truncated } = await readBody(response, limits.maxBytes);
    const contentType = response.headers["content-type"] ?? "";
    const mediaType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
    const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
    return { url: url.href, status, mediaType, ...(charset === undefined ? {} : { charset }), body, truncated };
  }
  throw new ToolFailure(`${address} redirected more than ${limits.maxRedirects} times.`);
}

function parse(address: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new ToolFailure(`"${address}" is not a URL. Give a full address such as https://example.org/page.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ToolFailure(`${url.protocol} addresses cannot be fetched; use http or https.`);
  }
  if (url.username || url.password) throw new ToolFailure("The address contains a password. Leave the password out.");
  return url;
}

function send(url: URL, limits: FetchLimits, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) && !limits.allowPrivate && isPrivateAddress(host)) throw refusal(url.hostname);
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "text/markdown,text/html;q=0.95,text/plain,application/json;q=0.9,*/*;q=0.5",
      "accept-encoding": "gzip, br, deflate",
      "user-agent": "lathe",
    };
    request(url, { headers, signal, lookup: checkedLookup(url.hostname, limits.allowPrivate) }, resolve)
      .once("error", (error: NodeJS.ErrnoException) => {
        if (error instanceof ToolFailure) reject(error);
        else reject(new ToolFailure(`${url.href} could not be reached: ${error.code ?? error.message}.`));
      })
      .end();
  });
}

/** The check sits between name and socket: what was checked is what is connected to. */
function checkedLookup(name: string, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const usable = allowPrivate ? addresses : addresses.filter(({ address }) => !isPrivateAddress(address));
      const first = usable[0];
      if (!first) return callback(refusal(name), "", 0);
      if (options.all) (callback as unknown as (error: null, all: typeof usable) => void)(null, usable);
      else callback(null, first.address, first.family);
    });
  };
}

const refusal = (host: string): ToolFailure =>
  new ToolFailure(
    `${host} is on this machine or its private network, which is not allowed. Use the shell for local servers.`,
  );

const UNPACKERS: ReadonlyMap<string | undefined, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["br", createBrotliDecompress],
  ["deflate", createInflate],
]);

async function readBody(response: IncomingMessage, maxBytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const unpack = UNPACKERS.get(response.headers["content-encoding"]);
  // A pipeline and not a pipe: a response that ends early must end the decompression, too. The reader below gets the error.
  const stream = unpack === undefined ? response : pipeline(response, unpack(), () => {});
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
    response.destroy();
  }
  return { body: Buffer.concat(chunks), truncated: false };
}
