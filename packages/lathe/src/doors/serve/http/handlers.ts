// The handlers of the routes of `lathe serve`.

import { COMMANDS, isCommand } from "../../../hosts/rpc/commands.ts";
import { PROTOCOL_VERSION } from "../../../hosts/rpc/frames.ts";
import { scopeOf } from "../../../hosts/rpc/scopes.ts";
import type { DialogAnswer, Door } from "../../door/door.ts";
import { LEAVING } from "../../door/shared-door.ts";
import { MOST_BYTES, MOST_COMMAND_BYTES, readBody } from "../../http/body.ts";
import type { Call } from "../../http/call.ts";
import { Refused } from "../../http/refused.ts";
import { ROUTES } from "../api.ts";
import type { NewSession, OpenedSession, SessionQuery } from "../client.ts";
import type { SignIn } from "../guard/sign-in.ts";
import { type ServedSessions, WATCHER } from "../sessions/served-sessions.ts";
import {
  type CheckedRequest,
  checkBody,
  checkFields,
  checkScope,
  refuseLimited,
  visitorOf,
} from "./checked-request.ts";
import type { EventStreams } from "./event-stream.ts";

export interface HandlerOptions {
  readonly version: string;
  readonly signIn: SignIn;
  readonly sessions: ServedSessions;
  readonly streams: EventStreams;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
}

/** Answers through the call. */
export type Handler = (asked: CheckedRequest, options: HandlerOptions) => void | Promise<void>;

/** Permission modes that a new session may start in without the scope `admin`. */
const FREE_MODES: ReadonlySet<string | undefined> = new Set([undefined, "read-only", "ask", "plan"]);

export const HANDLERS: { readonly [Name in keyof typeof ROUTES]: Handler } = {
  health: ({ call }, { version }) => call.json({ ok: true, version, protocol: PROTOCOL_VERSION }),

  signIn: async ({ call }, { signIn }) => {
    const { incoming } = call;
    const { code } = checkBody<{ code: string }>(await readBody(incoming, MOST_BYTES), ROUTES.signIn.body);
    call.send(undefined, 204, { "set-cookie": await signIn.withCode(incoming, code) });
  },

  signOut: async (asked, { signIn }) =>
    asked.call.send(undefined, 204, { "set-cookie": await signIn.out(visitorOf(asked)) }),

  me: (asked) => {
    const { name, scopes } = visitorOf(asked).client;
    asked.call.json({ name, scopes: [...scopes] });
  },

  roots: ({ call }, { sessions }) => call.json({ roots: sessions.roots }),

  sessions: async (asked, { sessions }) => {
    const { token } = visitorOf(asked);
    asked.call.json(await sessions.page(asked.query as SessionQuery, token.session));
  },

  createSession: async (asked, { sessions }) => {
    const visitor = visitorOf(asked);
    refuseLimited(visitor);
    const body = await readBody(asked.call.incoming, MOST_BYTES);
    const session = checkBody<NewSession>(body, ROUTES.createSession.body);
    if (!FREE_MODES.has(session.permissionMode)) checkScope(visitor, "admin");
    asked.call.json({ id: await sessions.create(session) }, 201);
  },

  openSession: async ({ call }, { sessions }) => {
    const { door } = await sessions.open(sessionIdOf(call));
    call.json(await openedSession(door));
  },

  closeSession: async ({ call }, { sessions }) => {
    await sessions.close(sessionIdOf(call));
    call.send(undefined, 204, {});
  },

  answer: async (asked, { sessions }) => {
    const { call } = asked;
    const { door } = await sessions.open(sessionIdOf(call));
    const answer = checkBody<DialogAnswer>(await readBody(call.incoming, MOST_BYTES), ROUTES.answer.body);
    const outcome = await door.answer(visitorOf(asked).client, call.params["questionId"] ?? "", answer);
    if (outcome.status === "accepted") return call.json(outcome);
    if (outcome.status === "settled")
      return call.json({ code: "settled", message: `${outcome.by} was first.`, by: outcome.by }, 409);
    throw new Refused(404, "unknown_question", "There is no such question.");
  },

  events: async (asked, { sessions, streams, signIn, setTimer }) => {
    const { call, query } = asked;
    const { outgoing, incoming } = call;
    const visitor = visitorOf(asked);
    const live = await sessions.open(sessionIdOf(call));
    const { session } = visitor.token;
    const last = query["after"] ?? lastEventId(incoming.headers["last-event-id"]);
    streams.begin(outgoing, {
      live,
      client: visitor.client,
      after: last as number | undefined,
      mayRead: () => signIn.isGood(visitor) && (session === undefined || session === live.door.sessionId),
      setTimer,
    });
  },

  artifact: async ({ call }, { sessions }) => {
    const artifactId = Number(call.params["artifactId"]);
    if (!Number.isSafeInteger(artifactId)) throw new Refused(404, "unknown_artifact", "There is no such artifact.");
    const { door } = await sessions.open(sessionIdOf(call));
    call.text(await wholeArtifact(door, artifactId));
  },
};

export async function runCommand(asked: CheckedRequest, { sessions }: HandlerOptions): Promise<void> {
  const { call } = asked;
  const name = call.params["command"] ?? "";
  if (!isCommand(name))
    throw new Refused(404, "unknown_command", "There is no such command. See schemas/openapi.json.");
  const visitor = visitorOf(asked);
  checkScope(visitor, scopeOf(name));
  if (LEAVING.has(name)) refuseLimited(visitor);
  const params = checkFields(await readBody(call.incoming, MOST_COMMAND_BYTES), COMMANDS[name].params);
  const data = await sessions.command(sessionIdOf(call), visitor.client, name, params);
  call.json(data === undefined ? {} : { data });
}

const sessionIdOf = ({ params }: Call): string => params["sessionId"] ?? "";

export function lastEventId(id: string | string[] | undefined): number | undefined {
  return typeof id === "string" && /^\d+$/.test(id) ? Number(id) : undefined;
}

async function openedSession(door: Door): Promise<OpenedSession> {
  const frames = door.follow(WATCHER)[Symbol.asyncIterator]();
  try {
    const { value: frame } = await frames.next();
    if (frame?.kind !== "snapshot") throw new Refused(502, "session_failed", "The session has ended. Try again.");
    return { id: door.sessionId, seq: frame.seq, snapshot: frame.snapshot };
  } finally {
    await frames.return?.();
  }
}

async function wholeArtifact(door: Door, artifactId: number): Promise<string> {
  let text = "";
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: { text: string; nextOffset: number | null } = await door.command(WATCHER, "read_artifact", {
      artifactId,
      offset,
    });
    text += piece.text;
    offset = piece.nextOffset;
  }
  return text;
}
