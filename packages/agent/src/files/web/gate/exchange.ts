// One HTTP exchange over a connection that has been judged and opened. The connection ends with it.

import { request as sendRequest } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecure } from "node:tls";
import { proxyHeaders } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import type { GateRequest, GateResponse } from "./types.ts";

interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly checksCertificate: boolean;
  /** The connection leads to this proxy, which is asked for the whole address. */
  readonly proxy?: URL | undefined;
}

export function exchange(request: GateRequest, connection: Duplex, options: ExchangeOptions): Promise<GateResponse> {
  const { url, method = "GET", headers = {}, body } = request;
  const { signal, checksCertificate, proxy } = options;
  const stream = url.protocol === "https:" ? secure(connection, url, checksCertificate) : connection;
  return new Promise((resolve, reject) => {
    const sent = sendRequest({
      createConnection: () => stream,
      method,
      path: proxy ? url.href : url.pathname + url.search,
      headers: { ...headers, host: url.host, ...(proxy ? proxyHeaders(proxy) : {}) },
      signal,
    });
    sent.once("response", (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response }),
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      connection.destroy();
      reject(new ToolFailure(`${url.href} could not be reached: ${error.code ?? error.message}.`));
    });
    sent.end(body);
  });
}

function secure(socket: Duplex, { hostname }: URL, checksCertificate: boolean): Duplex {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  return connectSecure({
    socket,
    // TLS cannot ask for an address.
    servername: isIP(name) === 0 ? name : "",
    host: name,
    rejectUnauthorized: checksCertificate,
    ALPNProtocols: ["http/1.1"],
  });
}
