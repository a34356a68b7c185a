// A running broker: the request checks, the routes and the socket.

import type { IncomingMessage } from "node:http";
import type { Attempts } from "../../http/attempts.ts";
import { addressOf, bearerIn } from "../../http/bearer.ts";
import { type Answer, type Call, type Refuse, Router, refuse } from "../../http/call.ts";
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
import type { OwnToken } from "../../http/own-token.ts";
import { Refused } from "../../http/refused.ts";
import { add, disable, type HandlerParts, refresh, report, snapshot, status, usage } from "./handlers.ts";
import type { LoggedRequest } from "./request-log.ts";
import type { Streams } from "./streams.ts";

export const BROKER_WORDS: PlaceWords = {
  option: "--bind",
  withPort: (port) => `lathe auth-broker serve --bind 127.0.0.1:${port}`,
};

/** Each client keeps one stream open. */
const BROKER_LIMITS: Limits = { ...LIMITS, connections: 2048 };

interface BrokerParts extends HandlerParts {
  readonly streams: Streams;
  readonly own: OwnToken;
  readonly attempts: Attempts;
  readonly log: (request: LoggedRequest) => void;
}

export interface BrokerOptions {
  readonly host: string;
  /** 0 lets the system choose a port. */
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly parts: BrokerParts;
  readonly limits?: Partial<Limits> | undefined;
}

const UNKNOWN = "There is nothing at this address. See docs/broker.md.";
const sendRefusal: Refuse = (incoming, outgoing, error) =>
  refuse(incoming, outgoing, error, (refusal) => ({ error: refusal }));

export async function startBroker({ host, port, tls, parts, ...options }: BrokerOptions): Promise<RunningServer> {
  checkReach(host, tls, BROKER_WORDS);
  const own: OwnNames = { scheme: tls ? "https" : "http", host, certificate: certificateOf(tls) };
  const limits = { ...BROKER_LIMITS, ...options.limits };
  const listener = withOriginCheck(brokerApp(parts), own, refuseAndLog(parts));
  const server = await listen(listener, { host, port, tls, limits, words: BROKER_WORDS, garbage: logGarbage(parts) });
  return serverAt(server, own, portOf(server));
}

/** Also logs requests that the guard refuses. Their method is not logged: it may be arbitrary text. */
function refuseAndLog({ log, now }: BrokerParts): Refuse {
  return (incoming, outgoing, error) => {
    sendRefusal(incoming, outgoing, error);
    log(refusedLine(now(), outgoing.statusCode, error instanceof Refused ? error.code : "failed"));
  };
}

/** Also logs input that is not an HTTP request. */
function logGarbage({ log, now }: BrokerParts): Garbage {
  return ({ status, code, message }) => {
    log(refusedLine(now(), status, code));
    return { error: { code, message } };
  };
}

const refusedLine = (at: number, status: number, why: string): LoggedRequest => ({
  ...{ at, status, why },
  ...{ method: "-", route: "-", id: undefined, ms: 0 },
});

function brokerApp(parts: BrokerParts): Answer {
  const router = new Router();
  const open = (call: Call): void => call.json({ ok: true, version: parts.version });
  const reply = (handle: (call: Call, of: HandlerParts) => Promise<unknown>) => async (call: Call) => {
    call.json(await handle(call, parts));
  };
  const stream = async ({ incoming, outgoing }: Call): Promise<void> => {
    const token = bearerIn(incoming.headers.authorization) ?? "";
    await parts.feed.refresh();
    await parts.streams.send(outgoing, () => parts.own.isToken(token));
  };
  const one = "/v1/credential/{id}";
  for (const [method, route, handle, isOpen] of [
    ["GET", "/v1/healthz", open, true],
    ["GET", "/v1/snapshot", reply(snapshot), false],
    ["GET", "/v1/snapshot/stream", stream, false],
    ["GET", "/v1/usage", reply(usage), false],
    ["GET", "/v1/status", reply(status), false],
    ["POST", "/v1/credential", reply(add), false],
    ["POST", `${one}/refresh`, reply(refresh), false],
    ["POST", `${one}/disable`, reply(disable), false],
    ["POST", `${one}/report`, reply(report), false],
  ] as const)
    router.add(method, route, (call) =>
      withLog(parts, { method, route, call }, async () => {
        if (!isOpen) checkToken(call.incoming, parts);
        await handle(call);
      }),
    );
  router.add("*", "/*", (call) =>
    withLog(parts, { method: call.incoming.method ?? "-", route: "-", call }, async () => {
      throw new Refused(404, "unknown_address", UNKNOWN);
    }),
  );
  return router.answer(UNKNOWN, sendRefusal);
}

async function withLog(
  { log, now, feed }: BrokerParts,
  { method, route, call }: { readonly method: string; readonly route: string; readonly call: Call },
  work: () => Promise<void>,
): Promise<void> {
  const at = now();
  const id = call.params["id"] ?? "";
  let why: string | undefined;
  try {
    await work();
  } catch (error) {
    const refused = error instanceof Refused ? error : undefined;
    why = refused?.code ?? "failed";
    if (call.outgoing.headersSent) call.outgoing.destroy();
    else sendRefusal(call.incoming, call.outgoing, refused ?? new Refused(500, "failed", FAILED));
  }
  const { statusCode: status } = call.outgoing;
  log({ at, method, route, id: feed.find(id) && id, status, why, ms: now() - at });
}

const FAILED = "The broker failed. Its operator can see why with: lathe auth-broker status";

/**
 * A valid token always passes, even while other clients at that address are locked out: 256 random bits cannot be
 * guessed.
 */
function checkToken(incoming: IncomingMessage, { own, attempts }: BrokerParts): void {
  const given = bearerIn(incoming.headers.authorization);
  if (given !== undefined && own.isToken(given)) return;
  const address = addressOf(incoming);
  if (given !== undefined) attempts.noteFailure(address);
  const seconds = attempts.waitFor(address);
  if (seconds > 0)
    throw new Refused(429, "too_many_attempts", `Too many attempts. Try again in ${seconds} s.`, seconds);
  throw new Refused(
    401,
    "unauthorized",
    "Send the broker's token in the Authorization header. It is printed by: lathe auth-broker token",
  );
}
