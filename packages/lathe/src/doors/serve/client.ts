// The typed client of `lathe serve`, for programs and web pages: only `fetch` and streams, nothing of Node. Its types
// are those of the RPC commands and the door, so server and clients always agree.

import type { Static, StaticFields } from "@lathe/llm/schema";
import type { CommandData, CommandName, CommandParams } from "../../hosts/rpc/commands.ts";
import type { AnswerOutcome, DialogAnswer, DoorFrame, Scope, SessionSnapshot } from "../door/door.ts";
import type { ROUTES, sessionRow } from "./api.ts";
import {
  ANSWERED_WITHIN_MS,
  jsonOf,
  LatheServerError,
  parseJson,
  type Sender,
  send,
  sessionPath,
  throwIfRefused,
  withReconnects,
} from "./requests.ts";
import { serverEvents } from "./server-events.ts";

export type { CommandData, CommandName, CommandParams, RpcSessionState } from "../../hosts/rpc/commands.ts";
export type { UiRequest, UiResponse } from "../../hosts/rpc/frames.ts";
export type { WireEvent, WireEventOf, WireEventType } from "../../hosts/wire/events.ts";
export type { WireMessage } from "../../hosts/wire/message.ts";
export type {
  AnswerOutcome,
  ClientRow,
  Dialog,
  DialogAnswer,
  DoorClient,
  DoorFrame,
  Scope,
  SessionSnapshot,
} from "../door/door.ts";
export { LatheServerError } from "./requests.ts";

/** The server's address and the client's credentials. */
export interface LatheClientOptions {
  /** Such as `http://127.0.0.1:4096`; empty in a page that the server itself has sent. */
  readonly url?: string | undefined;
  /** A token; absent in a browser, which has a cookie. */
  readonly token?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Returns what is wrong with an answer. Without it, answers are trusted, as in a page of the server itself. */
  readonly check?: ((to: AnswerTo, value: unknown) => string | undefined) | undefined;
}

/** The request that an answer belongs to. */
export type AnswerTo = { readonly route: keyof typeof ROUTES } | { readonly command: CommandName };

/** A session in the list of the server. */
export type SessionRow = Static<typeof sessionRow>;

/** Which sessions to list; `after` is the id of the last one on the previous page. */
export type SessionQuery = StaticFields<(typeof ROUTES)["sessions"]["query"]>;

/** A session to start, below one of the server's roots. */
export type NewSession = StaticFields<(typeof ROUTES)["createSession"]["body"]>;

/** An open session, at the number that its stream has reached. */
export interface OpenedSession {
  readonly id: string;
  readonly seq: number;
  readonly snapshot: SessionSnapshot;
}

/** Options of `follow`. */
export interface FollowOptions {
  /** The last number the client has seen. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `false` when the connection is lost, `true` when it is back. */
  readonly onConnection?: ((isConnected: boolean) => void) | undefined;
}

/** Talks to `lathe serve`. Every method rejects with LatheServerError if the server refuses or cannot be reached. */
export class LatheClient {
  readonly #sender: Sender;
  readonly #check: NonNullable<LatheClientOptions["check"]>;

  constructor({ url = "", token, fetch: ownFetch, check }: LatheClientOptions = {}) {
    this.#check = check ?? (() => undefined);
    const fetch = ownFetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#sender = { url: url.replace(/\/+$/, ""), token, fetch };
  }

  health(): Promise<{ readonly ok: true; readonly version: string; readonly protocol: number }> {
    return this.#json({ route: "health" }, "GET", "/v1/health");
  }
  /** The code works once. It is sent in the body, because addresses end up in logs. */
  async signIn(code: string): Promise<void> {
    await this.#json({ route: "signIn" }, "POST", "/v1/sign-in", { code });
  }
  async signOut(): Promise<void> {
    await this.#json({ route: "signOut" }, "POST", "/v1/sign-out", {});
  }
  me(): Promise<{ readonly name: string; readonly scopes: readonly Scope[] }> {
    return this.#json({ route: "me" }, "GET", "/v1/me");
  }

  sessions(query: SessionQuery = {}): Promise<{ readonly sessions: readonly SessionRow[]; readonly more: boolean }> {
    return this.#json({ route: "sessions" }, "GET", `/v1/sessions${queryOf({ ...query })}`);
  }
  async roots(): Promise<readonly string[]> {
    return (await this.#json<{ roots: readonly string[] }>({ route: "roots" }, "GET", "/v1/roots")).roots;
  }
  /** Resolves with the id of the new session. */
  async createSession(session: NewSession): Promise<string> {
    return (await this.#json<{ id: string }>({ route: "createSession" }, "POST", "/v1/sessions", session)).id;
  }
  openSession(id: string): Promise<OpenedSession> {
    return this.#json({ route: "openSession" }, "GET", sessionPath(id));
  }
  async closeSession(id: string): Promise<void> {
    await this.#json({ route: "closeSession" }, "POST", `${sessionPath(id)}/close`, {});
  }

  /** Any command of RPC mode. */
  async command<K extends CommandName>(id: string, name: K, params?: CommandParams<K>): Promise<CommandData<K>> {
    const path = `${sessionPath(id)}/commands/${name}`;
    return (await this.#json<{ data: CommandData<K> }>({ command: name }, "POST", path, params ?? {})).data;
  }

  /** The first valid answer counts; `settled` names the client that gave it. */
  async answer(id: string, questionId: string, answer: DialogAnswer): Promise<AnswerOutcome> {
    const path = `${sessionPath(id)}/answers/${encodeURIComponent(questionId)}`;
    const response = await this.#request("POST", path, answer);
    if (response.status !== 409) return this.#answer({ route: "answer" }, await throwIfRefused(response));
    const { by } = ((await jsonOf(response)) ?? {}) as { by?: unknown };
    return { status: "settled", by: String(by) };
  }

  /** Text that the session keeps outside its entries, such as the full text of a long output. */
  async artifact(id: string, artifactId: string): Promise<string> {
    const path = `${sessionPath(id)}/artifacts/${encodeURIComponent(artifactId)}`;
    return (await throwIfRefused(await this.#request("GET", path))).text();
  }

  /** The frames of one connection. */
  async *events(id: string, { after, signal, onConnection }: FollowOptions = {}): AsyncGenerator<DoorFrame> {
    const path = `${sessionPath(id)}/events${queryOf({ after })}`;
    const response = await throwIfRefused(await this.#request("GET", path, undefined, signal));
    if (response.body === null) return;
    onConnection?.(true);
    for await (const { data } of serverEvents(response.body))
      yield this.#whole<DoorFrame>({ route: "events" }, parseJson(data));
  }

  /**
   * Frames without gaps or repetitions; reconnects as needed. Ends after `closed`, or with the signal; rejects if the
   * server refuses.
   */
  async *follow(id: string, { after, signal, onConnection }: FollowOptions = {}): AsyncGenerator<DoorFrame> {
    let last = after;
    const connect = (isThere: () => void) =>
      this.events(id, { after: last, signal, onConnection: (isConnected) => isConnected && isThere() });
    const isLast = ({ kind }: DoorFrame): boolean => kind === "closed";
    for await (const frame of withReconnects({ connect, isLast, signal, onConnection })) {
      last = frame.seq;
      yield frame;
    }
  }

  async #json<T>(to: AnswerTo, method: "GET" | "POST", path: string, body?: object): Promise<T> {
    // No deadline for commands: a prompt is confirmed once it is recorded, and the server has its own deadlines.
    const within = "command" in to ? undefined : AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const response = await throwIfRefused(await this.#request(method, path, body, within));
    return response.status === 204 ? (undefined as T) : this.#answer(to, response);
  }

  async #answer<T>(to: AnswerTo, response: Response): Promise<T> {
    return this.#whole(to, await jsonOf(response));
  }

  #whole<T>(to: AnswerTo, value: unknown): T {
    // The answer to a command wraps its data.
    const isObject = typeof value === "object" && value !== null;
    const data = "command" in to && isObject ? (value as { data?: unknown }).data : value;
    const wrong = isObject ? this.#check(to, data) : "it is no JSON";
    if (wrong === undefined) return value as T;
    throw new LatheServerError(
      200,
      "unreadable",
      `The server's answer cannot be read (${wrong}). Is it a lathe serve of this version?`,
    );
  }

  #request(method: "GET" | "POST", path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    return send(this.#sender, method, path, { body, signal });
  }
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
