// A running gateway: the request checks, the routes and the socket.

import type { IncomingMessage } from "node:http";
import { messageOf } from "@lathe/llm";
import { type ServedFormat, servedFormats } from "@lathe/llm/serve";
import { type Answer, type Call, type Refuse, Router } from "../../http/call.ts";
import type { Garbage } from "../../http/garbage.ts";
import { type RunningServer, serverAt, withOriginCheck } from "../../http/guarded.ts";
import {
  certificateOf,
  checkReach,
  LIMITS,
  type Limits,
  listen,
  type PlaceWords,
  portOf,
  type Tls,
} from "../../http/listen.ts";
import type { OwnNames } from "../../http/origin.ts";
import { credentialsReport } from "../reports/credentials-report.ts";
import { modelList } from "../reports/model-list.ts";
import { usageReport } from "../reports/usage-report.ts";
import type { Caller } from "./callers.ts";
import { exchange } from "./exchange.ts";
import { isOwnFailure, sendFailure, wordOf } from "./failure.ts";
import type { GatewayParts } from "./parts.ts";

export const GATEWAY_WORDS: PlaceWords = {
  option: "--bind",
  withPort: (port) => `lathe auth-gateway serve --bind 127.0.0.1:${port}`,
};

/** Hundreds of answers may run at once; an idle connection may last as long as a silent answer. */
const GATEWAY_LIMITS: Limits = { ...LIMITS, connections: 2048 };
const IDLE_MS = 255_000;

export interface GatewayOptions {
  readonly version: string;
  readonly host: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly parts: GatewayParts;
  readonly limits?: Partial<Limits> | undefined;
}

/** On shutdown, running answers get this long to finish. */
const FINISH_WITHIN_MS = 10_000;

export async function startGateway(options: GatewayOptions): Promise<RunningServer> {
  const { version, host, tls, parts } = options;
  checkReach(host, tls, GATEWAY_WORDS);
  const own: OwnNames = { scheme: tls ? "https" : "http", host, certificate: certificateOf(tls) };
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const running = new Set<Promise<void>>();
  const listener = withOriginCheck(gatewayApp(version, parts, running), own, refuseAndLog(parts));
  const place = { host, port: options.port, tls, limits, words: GATEWAY_WORDS, garbage: logGarbage(parts) };
  const server = await listen(listener, place);
  server.keepAliveTimeout = IDLE_MS;
  const { url, close } = serverAt(server, own, portOf(server));
  return {
    url,
    close: async () => {
      server.close();
      server.closeIdleConnections();
      const late = new Promise<void>((resolve) => parts.setTimer(resolve, FINISH_WITHIN_MS));
      await Promise.race([Promise.all(running), late]);
      await close();
      // Answers that were cut off are settled, too.
      await Promise.all(running);
    },
  };
}

function gatewayApp(version: string, parts: GatewayParts, running: Set<Promise<void>>): Answer {
  const router = new Router();
  router.add("GET", "/healthz", (call) => call.json({ ok: true, version }, 200, { connection: "close" }));
  router.add("GET", "/v1/models", report(parts, modelList));
  router.add("GET", "/v1/usage", report(parts, usageReport));
  router.add("GET", "/v1/credentials/check", report(parts, credentialsReport));
  for (const format of servedFormats)
    router.add("POST", format.path, (call) => {
      const work = exchange(call, format, parts).finally(() => running.delete(work));
      running.add(work);
      return work;
    });
  const paths = servedFormats.map(({ path }) => `POST ${path}`).join(", ");
  return router.answer(
    `There is nothing at this address. The gateway answers ${paths} and GET /v1/models.`,
    refuseAndLog(parts),
  );
}

/** The format is unknown here; clients of both vendors find the message in this body. */
function logGarbage({ now, log }: GatewayParts): Garbage {
  return ({ status, code, message }) => {
    log({ at: now(), key: undefined, model: undefined, usage: undefined, usd: 0, status, why: code, ms: 0 });
    return { type: "error", error: { type: "invalid_request_error", message, param: null, code } };
  };
}

/** Refuses requests before they reach a handler, in the client's format, and logs them. */
function refuseAndLog({ now, log, newId }: GatewayParts): Refuse {
  return (incoming, outgoing, error) => {
    const at = now();
    outgoing.shouldKeepAlive = false;
    sendFailure({ incoming, outgoing }, formatFor(incoming), error, newId());
    const { statusCode: status } = outgoing;
    log({ at, key: undefined, model: undefined, usage: undefined, usd: 0, status, why: wordOf(error), ms: now() - at });
  };
}

type Report = (call: Call, caller: Caller, parts: GatewayParts) => unknown;

function report(parts: GatewayParts, make: Report): (call: Call) => Promise<void> {
  return async (call) => {
    const began = parts.now();
    let key: string | undefined;
    let failure: unknown;
    try {
      const caller = parts.callers.callerOf(call.incoming);
      key = caller.name;
      call.json(await make(call, caller, parts));
    } catch (error) {
      failure = error;
      if (isOwnFailure(error)) parts.warn(`A request has failed: ${messageOf(error)}`);
      sendFailure(call, formatFor(call.incoming), error, parts.newId());
    }
    parts.log({
      at: began,
      key,
      model: undefined,
      usage: undefined,
      usd: 0,
      status: call.outgoing.statusCode,
      why: failure === undefined ? undefined : wordOf(failure),
      ms: parts.now() - began,
    });
  };
}

/** The format by path; at other addresses, a header tells the vendor of the client. */
function formatFor({ url = "", headers }: IncomingMessage): ServedFormat {
  const name = headers["anthropic-version"] === undefined ? "chat" : "messages";
  const known = servedFormats.find(({ path }) => path === url.split("?")[0]);
  return known ?? (servedFormats.find((format) => format.name === name) as ServedFormat);
}
