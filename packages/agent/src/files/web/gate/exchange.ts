// One HTTP exchange over a connection that has been judged and opened. The connection ends with it.

import { request as sendRequest } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecure } from "node:tls";
import { ToolFailure } from "../../../contract/tool.ts";
import type { Route } from "../../../world/net/dial.ts";
import type { GateRequest, GateResponse } from "./types.ts";

interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly checksCertificate: boolean;
}

export function exchange(
  { url, method = "GET", headers = {}, body }: GateRequest,
  { connection, path, headers: more }: Route,
  { signal, checksCertificate }: ExchangeOptions,
): Promise<GateResponse> {
  const stream = url.protocol === "https:" ? secure(connection, url, checksCertificate) : connection;
  return new Promise((resolve, reject) => {
    const sent = sendRequest({
      createConnection: () => stream,
      method,
      path,
      headers: { ...headers, host: url.host, ...more },
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
    // SNI does not support IP addresses.
    servername: isIP(name) === 0 ? name : "",
    host: name,
    rejectUnauthorized: checksCertificate,
    ALPNProtocols: ["http/1.1"],
  });
}
