// The routes of `lathe serve`: what each takes, answers and needs. The server's checks, the types of its client and
// schemas/openapi.json come from here; the commands of a session are those of RPC mode (`hosts/rpc/commands.ts`).

import {
  anyObject,
  choice,
  exactly,
  type Fields,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  type Schema,
  text,
} from "@lathe/llm/schema";
import { sessionState } from "../../hosts/rpc/commands.ts";
import { INBOUND, OUTBOUND } from "../../hosts/rpc/frames.ts";
import type { Scope } from "../door/door.ts";

export const sessionRow = object({
  id: text(),
  title: text(),
  cwd: text(),
  updatedAt: text("An ISO date."),
  live: flag("It is open in the server, or in another process that shares it."),
  busy: flag(),
  questions: integer("How many questions wait for an answer."),
});

const clientRow = object({ name: text(), kind: choice(["terminal", "browser", "editor", "program"]) });
const event = anyObject("An event of the agent, as in events.json.");
const question = OUTBOUND.extension_ui_request;

export const snapshot = object({
  state: sessionState,
  lastEntryId: orNull(text()),
  questions: listOf(question),
  clients: listOf(clientRow),
  running: listOf(event, "Events of the current turn that are not in the entries yet."),
});

/** One step of the stream of a session. */
export const frame = oneOf(
  object({ seq: integer(), kind: exactly("event"), event }),
  object({ seq: integer(), kind: exactly("question"), question }),
  object({
    seq: integer(),
    kind: exactly("settled"),
    questionId: text(),
    by: text("The client that answered, or `deadline`, or `session`."),
    answer: optional(anyObject()),
  }),
  object({ seq: integer(), kind: exactly("clients"), clients: listOf(clientRow) }),
  object({ seq: integer(), kind: exactly("session"), sessionId: text() }),
  object({ seq: integer(), kind: exactly("closed"), problem: optional(text()) }),
  object({ seq: integer(), kind: exactly("snapshot"), snapshot }),
);

/** The answer to a question, whose id is part of the address. */
const answer: Fields = Object.fromEntries(
  Object.entries(INBOUND.extension_ui_response["properties"] as Readonly<Record<string, Schema>>)
    .filter(([name]) => name !== "type" && name !== "id")
    .map(([name, schema]) => [name, optional(schema)]),
);

/** The body of every refusal. */
export const problem = object({ code: text(), message: text() });

const scopes = choice(["read", "prompt", "approve", "admin"]);
const permissionMode = choice(["read-only", "ask", "auto-edit", "full", "plan"]);

export interface Route {
  readonly method: "GET" | "POST";
  /** Parameters are in braces. */
  readonly path: string;
  readonly does: string;
  /** Absent if no sign-in is needed. */
  readonly scope?: Scope | "any";
  readonly query?: Fields;
  readonly body?: Fields;
  /** Absent if the answer is a 204 or text. */
  readonly data?: Schema;
  readonly media?: "text/event-stream" | "text/plain";
}

const SESSION = "/v1/sessions/{sessionId}";

export const ROUTES = {
  health: {
    method: "GET",
    path: "/v1/health",
    does: "Whether the server is running, and its version.",
    data: object({ ok: exactly(true), version: text(), protocol: integer() }),
  },
  signIn: {
    method: "POST",
    path: "/v1/sign-in",
    does: "Signs a browser in: the code of the link works once and is exchanged for a cookie.",
    body: { code: text() },
  },
  signOut: { method: "POST", path: "/v1/sign-out", does: "Signs this browser out.", scope: "any" },
  me: {
    method: "GET",
    path: "/v1/me",
    does: "The signed-in client and its scopes.",
    scope: "any",
    data: object({ name: text(), scopes: listOf(scopes) }),
  },
  roots: {
    method: "GET",
    path: "/v1/roots",
    does: "Folders below which sessions can be started.",
    scope: "read",
    data: object({ roots: listOf(text()) }),
  },
  sessions: {
    method: "GET",
    path: "/v1/sessions",
    does: "A page of the sessions in these folders, newest first.",
    scope: "read",
    query: {
      search: optional(text("Words that occur in the session.")),
      limit: optional(integer({ minimum: 1, maximum: 200 })),
      after: optional(text("The id of the last session on the previous page.")),
    },
    data: object({ sessions: listOf(sessionRow), more: flag() }),
  },
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    does: "Starts a session in a folder below one of the roots.",
    scope: "prompt",
    body: { cwd: text(), model: optional(text()), permissionMode: optional(permissionMode) },
    data: object({ id: text() }),
  },
  openSession: {
    method: "GET",
    path: SESSION,
    does: "The state of a session; opens it if necessary.",
    scope: "read",
    data: object({ id: text(), seq: integer(), snapshot }),
  },
  closeSession: {
    method: "POST",
    path: `${SESSION}/close`,
    does: "Closes a session; it is opened again on use.",
    scope: "prompt",
  },
  answer: {
    method: "POST",
    path: `${SESSION}/answers/{questionId}`,
    does: "Answers a question. The first valid answer counts; 409 names the client that gave it.",
    scope: "approve",
    body: answer,
    data: object({ status: exactly("accepted") }),
  },
  events: {
    method: "GET",
    path: `${SESSION}/events`,
    does: "The stream of a session as server-sent events; the id of each is its number.",
    scope: "read",
    query: {
      after: optional(integer({ description: "The last number seen; without it, a snapshot comes first." })),
    },
    data: frame,
    media: "text/event-stream",
  },
  artifact: {
    method: "GET",
    path: `${SESSION}/artifacts/{artifactId}`,
    does: "Text that the session keeps outside its entries, such as the full text of a long output.",
    scope: "read",
    media: "text/plain",
  },
} as const satisfies Record<string, Route>;

/** Every command of RPC mode has a route below this path: POST with its parameters, answered with `{data}`. */
export const COMMAND_PATH = `${SESSION}/commands`;
