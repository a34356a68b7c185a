// HTTP/1.1 straight to the server, over node:net and node:tls: node:http takes three times as long to load as both.

import type { ClientDeps, TlsMaterial, TransportRequest, TransportResponse } from "../../types/adapter.ts";
import { encodeBody, lengthOf } from "../encode-body.ts";
import { isGzip } from "../gzip.ts";
import type { Address } from "./address.ts";
import type { Connection } from "./connection.ts";
import { createDial, type Target } from "./dial.ts";
import { exchange } from "./exchange.ts";
import { createPool } from "./pool.ts";
import { requestHead } from "./request-head.ts";
import type { ResponseHead } from "./response-parser.ts";

export interface DirectClient {
  send(request: TransportRequest, address: Address, material: TlsMaterial | undefined): Promise<TransportResponse>;
  /** Drops idle connections. */
  close(): void;
}

export function createDirectClient({ setTimer, now }: Pick<ClientDeps, "setTimer" | "now">): DirectClient {
  const pool = createPool(now);
  const dial = createDial(setTimer);
  return {
    async send(request, address, material) {
      const { signal, sent } = request;
      const { origin } = address;
      const target = targetOf(request, address, material);
      const message = encodeRequest(request, address);
      const answer = (connection: Connection, resend?: () => Promise<TransportResponse>) =>
        exchange(connection, message, {
          origin,
          resend,
          setTimer,
          ...(signal === undefined ? {} : { signal }),
          ...(sent === undefined ? {} : { sent }),
          release: (free, head) => {
            const idleMs = idleTime(head);
            if (idleMs === undefined) free.close();
            else pool.put(target.key, free, idleMs);
          },
        });
      const afresh = () => dial(target, request, answer);
      const idle = request.once ? undefined : pool.take(target.key);
      const response = await (idle === undefined ? afresh() : answer(idle, afresh));
      if (!isGzip(response.headers)) return response;
      const { gunzipBody } = await import("../gunzip.ts");
      return { ...response, body: gunzipBody(response.body, origin, signal) };
    },
    close: pool.clear,
  };
}

function targetOf({ headers }: TransportRequest, address: Address, material: TlsMaterial | undefined): Target {
  const { secure, origin, port, host, name: ownName } = address;
  // Who asks another name of a server wants its certificate for that name, too.
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1];
  const name = named === undefined ? ownName : named.replace(/:\d*$/, "").replace(/^\[|\]$/g, "");
  return {
    key: secure ? `${host} ${name} ${material === undefined ? "" : JSON.stringify(material)}` : host,
    origin,
    secure,
    host: ownName,
    port,
    name,
    material: secure ? material : undefined,
  };
}

function encodeRequest(request: TransportRequest, address: Address): Uint8Array[] {
  const body = request.body ?? [];
  const withoutBody = request.body === undefined && request.method === "GET";
  const head = requestHead(address, request, withoutBody ? undefined : lengthOf(body));
  // With the body in one piece, unless it holds what the two write in different ways.
  return encodeBody([/[^\0-\x7f]/.test(head) ? Buffer.from(head, "latin1") : head, ...body]);
}

/** How long the connection may wait: a second less than its server says; undefined: not at all. */
function idleTime({ headers }: ResponseHead): number | undefined {
  const seconds = /\btimeout=(\d+)/i.exec(headers["keep-alive"] ?? "")?.[1];
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  const ms = (Number(seconds) - 1) * 1000;
  return ms > 0 ? ms : undefined;
}
