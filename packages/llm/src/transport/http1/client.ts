// HTTP/1.1 straight to the server, over node:net and node:tls: node:http takes three times as long to load as both.

import type { ClientDeps, TlsMaterial, TransportRequest, TransportResponse } from "../../types/adapter.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { encodeBody } from "../encode-body.ts";
import { isGzip } from "../gzip.ts";
import type { Connection } from "./connection.ts";
import { createDial, type Target } from "./dial.ts";
import { exchange } from "./exchange.ts";
import { createPool } from "./pool.ts";
import { requestHead } from "./request-head.ts";
import type { ResponseHead } from "./response-parser.ts";

export interface DirectClient {
  send(request: TransportRequest, url: URL, material: TlsMaterial | undefined): Promise<TransportResponse>;
  /** Drops idle connections. */
  close(): void;
}

export function createDirectClient({ setTimer, now }: Pick<ClientDeps, "setTimer" | "now">): DirectClient {
  const pool = createPool(now);
  const dial = createDial(setTimer);
  return {
    async send(request, url, material) {
      const { signal } = request;
      const target = targetOf(request, url, material);
      const message = encodeRequest(request, url);
      const answer = (connection: Connection, resend?: () => Promise<TransportResponse>) =>
        exchange(connection, message, {
          origin: url.origin,
          resend,
          setTimer,
          ...(signal === undefined ? {} : { signal }),
          release: (free, head) => {
            const idleMs = idleTime(head);
            if (idleMs === undefined) free.close();
            else pool.put(target.key, free, idleMs);
          },
        });
      const afresh = async () => answer(await dial(target, request));
      const idle = request.once ? undefined : pool.take(target.key);
      const response = await (idle === undefined ? afresh() : answer(idle, afresh));
      if (!isGzip(response.headers)) return response;
      const { gunzipBody } = await import("../gunzip.ts");
      return { ...response, body: gunzipBody(response.body, url.origin, signal) };
    },
    close: pool.clear,
  };
}

function targetOf({ headers }: TransportRequest, url: URL, material: TlsMaterial | undefined): Target {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConfigurationError(`The address ${url.origin} is neither http nor https; only those work.`);
  const secure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Who asks another name of a server wants its certificate for that name, too.
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1];
  const name = named === undefined ? host : named.replace(/:\d*$/, "").replace(/^\[|\]$/g, "");
  return {
    key: secure ? `${url.host} ${name} ${material === undefined ? "" : JSON.stringify(material)}` : url.host,
    origin: url.origin,
    secure,
    host,
    port: Number(url.port) || (secure ? 443 : 80),
    name,
    material: secure ? material : undefined,
  };
}

function encodeRequest(request: TransportRequest, url: URL): Uint8Array[] {
  const body = encodeBody(request.body ?? []);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const withoutBody = request.body === undefined && request.method === "GET";
  return [Buffer.from(requestHead(url, request, withoutBody ? undefined : length), "latin1"), ...body];
}

/** How long the connection may wait: a second less than its server says; undefined: not at all. */
function idleTime({ headers }: ResponseHead): number | undefined {
  const seconds = /\btimeout=(\d+)/i.exec(headers["keep-alive"] ?? "")?.[1];
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  const ms = (Number(seconds) - 1) * 1000;
  return ms > 0 ? ms : undefined;
}
