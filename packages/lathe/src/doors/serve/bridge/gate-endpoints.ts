// Gates at the bridge, if they are enabled: ownership of sessions, the stream of their gates, and answers. Requests get
// here only after the bridge has checked its token.

import type { ClientDeps, JsonObject } from "@lathe/llm";
import { anything, type Fields, flag, optional, text } from "@lathe/llm/schema";
import { COMMANDS } from "../../../hosts/rpc/commands.ts";
import type { DoorClient, DoorFrame, Scope } from "../../door/door.ts";
import { readBody } from "../../http/body.ts";
import type { Call, CallHandler } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import { checkBody, checkFields } from "../http/checked-request.ts";
import { EventStreams } from "../http/event-stream.ts";
import { lastEventId } from "../http/handlers.ts";
import type { ServedSessions } from "../sessions/served-sessions.ts";
import { OWNER_HEADER } from "./bridge-client.ts";
import { Owners } from "./owners.ts";

/** An answer may have 20,000 characters, each up to six bytes as JSON. */
const MOST_ANSWER_BYTES = 256 << 10;

const CLAIM: Fields = { force: optional(flag()) };
const ANSWER: Fields = { answer: anything(), idempotency_key: optional(text()) };

interface GateEndpoint {
  readonly method: "GET" | "POST";
  /** Relative to the address of a session. */
  readonly path: string;
  readonly scope: Scope;
  readonly handle: CallHandler;
}

export interface GateEndpointsOptions {
  readonly sessions: ServedSessions;
  readonly scopes: readonly Scope[];
  readonly deps: Pick<ClientDeps, "setTimer">;
}

export function gateEndpoints({ sessions, scopes, deps }: GateEndpointsOptions): readonly GateEndpoint[] {
  const owners = new Owners();
  const streams = new EventStreams(gateFrame);
  const client: DoorClient = { name: "the bridge", kind: "program", scopes: new Set(scopes) };

  const claim: CallHandler = async (call) => {
    const { force = false } = checkBody<{ force?: boolean }>(await bodyOf(call), CLAIM);
    const sessionId = sessionIdOf(call);
    await sessions.open(sessionId);
    call.json({ owner_token: owners.claim(sessionId, force) }, 201);
  };

  const release: CallHandler = async (call) => {
    owners.check(sessionIdOf(call), ownerTokenIn(call));
    owners.release(sessionIdOf(call));
    call.send(undefined, 204, {});
  };

  const events: CallHandler = async (call) => {
    const sessionId = sessionIdOf(call);
    const live = await sessions.open(sessionId);
    const after = lastEventId(call.query["after"] ?? call.incoming.headers["last-event-id"]);
    const mayRead = (): boolean => live.door.sessionId === sessionId;
    streams.begin(call.outgoing, { live, client, after, mayRead, setTimer: deps.setTimer });
  };

  const answer: CallHandler = async (call) => {
    const sessionId = sessionIdOf(call);
    owners.check(sessionId, ownerTokenIn(call));
    const given = checkBody<JsonObject>(await bodyOf(call), ANSWER);
    const params = {
      gate_id: call.params["gateId"] ?? "",
      answer: given["answer"],
      idempotency_key: idempotencyKey(call, given["idempotency_key"] as string | undefined),
    };
    const name = "workflow_gate_response";
    call.json(await sessions.command(sessionId, client, name, checkFields(params, COMMANDS[name].params)));
  };

  return [
    { method: "POST", path: "ownership", scope: "approve", handle: claim },
    { method: "POST", path: "ownership/release", scope: "approve", handle: release },
    { method: "GET", path: "events", scope: "read", handle: events },
    { method: "POST", path: "ui-responses/{gateId}", scope: "approve", handle: answer },
  ];
}

/** The part of a frame that concerns gates; a new stream starts with the open gate. */
function gateFrame(frame: DoorFrame): object | undefined {
  if (frame.kind === "snapshot") return frame.snapshot.state.workflow?.gate;
  if (frame.kind === "closed") return { type: "session_closed" };
  if (frame.kind !== "event") return undefined;
  const { event } = frame;
  if (event.type === "lathe:gate") return event.gate;
  if (event.type !== "lathe:gate_settled") return undefined;
  const { type: _, ...settled } = event;
  return { type: "workflow_gate_settled", ...settled };
}

/** A lost answer is sent again; without a key, it would look like a second answer. */
function idempotencyKey({ incoming }: Call, inBody: string | undefined): string {
  const header = incoming.headers["idempotency-key"];
  const inHeader = typeof header === "string" && header !== "" ? header : undefined;
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
    throw new Refused(400, "wrong_parameter", "The header Idempotency-Key and idempotency_key are not the same.");
  const key = inHeader ?? inBody;
  if (key !== undefined) return key;
  throw new Refused(
    400,
    "no_idempotency_key",
    "Send a new key with each answer, in the header Idempotency-Key or as idempotency_key.",
  );
}

const bodyOf = ({ incoming }: Call): Promise<JsonObject> => readBody(incoming, MOST_ANSWER_BYTES);
const sessionIdOf = ({ params }: Call): string => params["sessionId"] ?? "";

function ownerTokenIn({ incoming }: Call): string | undefined {
  const token = incoming.headers[OWNER_HEADER];
  return typeof token === "string" ? token : undefined;
}
