// One request for an answer: read, admitted, sent to its model, written in the client's wire format, settled and
// logged. Whatever happens, it is settled once and logged once.

import { AbortError, messageOf, type StreamEvent } from "@lathe/llm";
import { fitRequest, type Refusal, type ServedFormat, type ServedRequest, warningHeaders } from "@lathe/llm/serve";
import { readBody } from "../../http/body.ts";
import type { Call } from "../../http/call.ts";
import type { OfferedModel } from "../models/gateway-models.ts";
import type { Reservation } from "../money/books.ts";
import { checkAffordable, type MostOf, mostOf } from "../money/most-of.ts";
import { AnswerWriter } from "./answer-writer.ts";
import type { Caller } from "./callers.ts";
import { isOwnFailure, sendFailure, wordOf } from "./failure.ts";
import type { GatewayParts } from "./parts.ts";
import { GatewayRefusal } from "./refusal.ts";
import { type Progress, settle } from "./settlement.ts";

/** Prompts may contain pictures and documents; vendors accept as much. */
const MOST_BODY_BYTES = 32 << 20;

export async function exchange(call: Call, format: ServedFormat, parts: GatewayParts): Promise<void> {
  const { now, log, newId, room } = parts;
  const { incoming, outgoing } = call;
  const began = now();
  const requestId = newId();
  const ending = new AbortController();
  let isGone = false;
  // When the client disconnects, the request to the vendor ends, too.
  outgoing.once("close", () => {
    isGone = !outgoing.writableFinished;
    if (isGone) ending.abort(new AbortError("The client has gone."));
  });
  const progress: Progress = {};
  let failure: unknown;
  try {
    const caller = parts.callers.callerOf(incoming);
    progress.caller = caller;
    progress.held = room.enter(caller.id);
    await answer(call, format, { parts, progress, caller, requestId, ending });
  } catch (error) {
    failure = ending.signal.aborted ? ending.signal.reason : error;
    if (!outgoing.headersSent && !isGone) sendFailure(call, format, failure, requestId);
    else if (!outgoing.writableEnded) outgoing.destroy();
  }
  if (failure !== undefined && isOwnFailure(failure)) parts.warn(`A request has failed: ${messageOf(failure)}`);
  const { caller, model, held } = progress;
  held?.leave();
  log({
    at: began,
    key: caller?.name,
    model: model && nameOf(model),
    ...settle(parts, progress, { failure, wasStopped: ending.signal.aborted }),
    // 499 is what proxies log for a client that disconnected.
    status: isGone ? 499 : outgoing.statusCode,
    why: failure === undefined ? undefined : isGone ? "cancelled" : wordOf(failure),
    ms: now() - began,
  });
}

interface Sending {
  readonly parts: GatewayParts;
  readonly progress: Progress;
  readonly caller: Caller;
  readonly requestId: string;
  readonly ending: AbortController;
}

async function answer(call: Call, format: ServedFormat, sending: Sending): Promise<void> {
  const { parts, progress, caller, ending } = sending;
  const { signal } = ending;
  checkRate(parts, caller);
  const { model, served } = await readRequest(call, format, sending);
  progress.model = model;
  const most = mostOf(served.request, model.target.model, model.habits);
  progress.most = most.amounts;
  checkPurse(parts, caller, most);
  const ticket = { key: caller.id, tokens: most.amounts.tokens };
  progress.pass = await parts.turnstile.enter(model.account(), ticket, signal);
  // Other requests may have spent meanwhile. Nothing else runs between here and the reservation.
  checkPurse(parts, caller, most);
  progress.reservation = reserve(parts, caller, { model, most });
  const { now, newId, setTimer } = parts;
  const writer = new AnswerWriter(call.outgoing, {
    format,
    encoder: format.encoder({ served, target: model.target, now, newId }),
    isStreamed: served.stream,
    headers: { [format.requestIdHeader]: sending.requestId, ...warningHeaders(served.dropped) },
    mostTokens: most.answer,
    mayGoOn: () => mayGoOn(parts, caller),
    stop: (reason) => ending.abort(reason),
    stopped: () => (signal.aborted ? signal.reason : undefined),
    note: (event) => note(event, progress),
    setTimer,
    now,
  });
  await writer.write(model.adapter.stream(most.request, { signal }));
}

/** Reads the request and finds its model. */
async function readRequest(
  call: Call,
  format: ServedFormat,
  { parts, caller, progress }: Sending,
): Promise<{ readonly model: OfferedModel; readonly served: ServedRequest }> {
  const decoded = format.decode(await readBody(call.incoming, MOST_BODY_BYTES, progress.held));
  if (decoded.kind === "refused") throw refusalError(decoded.refusal);
  const model = await parts.models.find(decoded.served.request.model, caller.key);
  const fitted = fitRequest(decoded.served, format, model.target);
  if (fitted.kind === "refused") throw refusalError(fitted.refusal);
  return { model, served: fitted.served };
}

/** Runs in a timer. While the key file cannot be read, running answers continue and only new requests are refused. */
function mayGoOn({ callers, warn }: GatewayParts, caller: Caller): boolean {
  try {
    return callers.isGood(caller);
  } catch (error) {
    warn(`The keys cannot be read: ${messageOf(error)}`);
    return true;
  }
}

/** Takes usage and limits from the vendor's events. */
function note(event: StreamEvent, progress: Progress): void {
  switch (event.type) {
    case "stream_start":
      progress.hasBegun = true;
      progress.usage = event.usage ?? progress.usage;
      break;
    case "finish":
      progress.usage = event.usage;
      progress.isFinished = true;
      if (event.response.rateLimit !== undefined) progress.pass?.observe(event.response.rateLimit);
      break;
    case "error":
      progress.usage = event.partial?.usage ?? progress.usage;
      break;
    default:
      break;
  }
}

function checkRate({ rates }: GatewayParts, { id, key }: Caller): void {
  if (key?.rpm === undefined) return;
  const waitMs = rates.take(id, key.rpm);
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  const message = `This key may send ${key.rpm} requests a minute. Try again in ${seconds} s.`;
  throw new GatewayRefusal("rate_limit", message, { code: "key_rate_limit", retryAfter: seconds });
}

function checkPurse({ books, now }: GatewayParts, { key }: Caller, most: MostOf): void {
  if (key?.budget === undefined) return;
  checkAffordable(most, { key, left: books.left(key, key.budget), now: now() });
}

interface Wanted {
  readonly model: OfferedModel;
  readonly most: MostOf;
}

function reserve({ books, warn }: GatewayParts, { id, name }: Caller, { model, most }: Wanted): Reservation {
  try {
    return books.reserve({ key: { id, name }, model: nameOf(model), most: most.amounts });
  } catch (error) {
    warn(`The ledger cannot be written: ${(error as Error).message}`);
    throw new GatewayRefusal("overloaded", "The gateway cannot write its ledger. Tell its operator.", {
      code: "ledger_unwritable",
      retryAfter: 30,
    });
  }
}

/** Our name for the model, never the client's. */
const nameOf = ({ target }: OfferedModel): string => `${target.provider}/${target.model.id}`;

function refusalError({ kind, message, ...more }: Refusal): GatewayRefusal {
  return new GatewayRefusal(kind, message, { ...more, isFinal: true });
}
