// The typed client of bridge mode: answers the gates of sessions over HTTPS. `fetch` and streams only.

import type { GateReply, WorkflowGate } from "../../../conversation/gates/gate.ts";
import type { GateHandler } from "../../../hosts/rpc-client/client.ts";
import {
  ANSWERED_WITHIN_MS,
  jsonOf,
  LatheServerError,
  notRefused,
  parseJson,
  reconnecting,
  type Sender,
  send,
  sessionPath,
} from "../requests.ts";
import { serverEvents } from "../server-events.ts";

/** Where the bridge is, and its token. */
export interface BridgeClientOptions {
  /** Such as `https://127.0.0.1:4077`. */
  readonly baseUrl: string;
  /** The value of LATHE_BRIDGE_TOKEN. */
  readonly token: string;
  /** Another `fetch`, such as one that trusts the bridge's certificate. Node's own trusts those of NODE_EXTRA_CA_CERTS. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What the bridge offers, by its handshake. */
export interface BridgeHandshake {
  readonly version: string;
  readonly protocol: number;
  readonly endpoints: Readonly<Record<string, boolean>>;
  readonly scopes: readonly string[];
  readonly accepted_scopes: readonly string[];
}

/** A gate that was answered here, and what became of the answer. */
export interface AnsweredGate {
  readonly gate: WorkflowGate;
  readonly reply: GateReply;
}

type BridgeFrame = WorkflowGate | { readonly type: "workflow_gate_settled" } | { readonly type: "session_closed" };
interface Numbered {
  readonly number: string;
  readonly frame: BridgeFrame;
}

export const OWNER_HEADER = "x-lathe-bridge-owner-token";
/** Sent again so often, with the same key, where the connection broke. */
const MOST_TRIES = 3;

/** Talks to `lathe --mode bridge` with LATHE_BRIDGE_GATES=1. Every method rejects with LatheServerError where the bridge refuses or cannot be reached. */
export class BridgeClient {
  readonly #sender: Sender;

  constructor({ baseUrl, token, fetch }: BridgeClientOptions) {
    this.#sender = {
      url: baseUrl.replace(/\/+$/, ""),
      token,
      fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
  }

  async handshake(): Promise<BridgeHandshake> {
    return (await jsonOf(await this.#request("GET", "/v1/handshake"))) as BridgeHandshake;
  }

  /** The token with which gates of this session are answered. `force`: also where another client owns the session, which is refused from then on. */
  async claim(sessionId: string, { force = false }: { readonly force?: boolean } = {}): Promise<string> {
    const response = await this.#request("POST", `${sessionPath(sessionId)}/ownership`, { force });
    return ((await jsonOf(response)) as { readonly owner_token: string }).owner_token;
  }
  async release(sessionId: string, ownerToken: string): Promise<void> {
    await this.#request("POST", `${sessionPath(sessionId)}/ownership/release`, {}, { [OWNER_HEADER]: ownerToken });
  }

  /** Resolves with what became of the answer; rejects where the gate takes none, such as with the code `already_resolved`. */
  async respondGate(
    sessionId: string,
    gateId: string,
    answer: unknown,
    {
      ownerToken,
      idempotencyKey = crypto.randomUUID(),
    }: { readonly ownerToken: string; readonly idempotencyKey?: string },
  ): Promise<GateReply> {
    const path = `${sessionPath(sessionId)}/ui-responses/${encodeURIComponent(gateId)}`;
    const headers = { [OWNER_HEADER]: ownerToken, "idempotency-key": idempotencyKey };
    for (let tried = 1; ; tried++) {
      try {
        return (await jsonOf(await this.#request("POST", path, { answer }, headers))) as GateReply;
      } catch (error) {
        // The answer may have arrived: with its key it counts once.
        if (!(error instanceof LatheServerError) || error.status !== 0 || tried === MOST_TRIES) throw error;
      }
    }
  }

  /**
   * Every gate of the session goes to the resolver, and what it returns is the answer; undefined: somebody else answers. Yields each
   * gate that was answered here, also where the answer was rejected. Goes on over as many connections as it takes; ends with the session
   * or the signal.
   */
  async *consumeWorkflowGates(
    sessionId: string,
    ownerToken: string,
    resolver: GateHandler,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<AnsweredGate, void> {
    let last: string | undefined;
    const connect = (isThere: () => void) => this.#frames(sessionId, last, isThere, signal);
    const isLast = ({ frame }: Numbered): boolean => frame.type === "session_closed";
    for await (const { number, frame } of reconnecting({ connect, isLast, signal })) {
      last = number;
      if (frame.type !== "workflow_gate") continue;
      const answer = await resolver(frame);
      if (answer === undefined) continue;
      const reply = await this.#answerIfOpen(sessionId, frame, answer, ownerToken);
      if (reply) yield { gate: frame, reply };
    }
  }

  /** Undefined: another door was faster. */
  async #answerIfOpen(
    sessionId: string,
    { gate_id }: WorkflowGate,
    answer: unknown,
    ownerToken: string,
  ): Promise<GateReply | undefined> {
    try {
      return await this.respondGate(sessionId, gate_id, answer, { ownerToken });
    } catch (error) {
      if (error instanceof LatheServerError && error.code === "already_resolved") return undefined;
      throw error;
    }
  }

  async *#frames(
    sessionId: string,
    after: string | undefined,
    isThere: () => void,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Numbered> {
    const query = after === undefined ? "" : `?after=${after}`;
    const path = `${sessionPath(sessionId)}/events${query}`;
    const { body } = await notRefused(await send(this.#sender, "GET", path, { signal }));
    if (body === null) return;
    isThere();
    for await (const { id, data } of serverEvents(body)) yield { number: id, frame: parseJson(data) as BridgeFrame };
  }

  async #request(
    method: "GET" | "POST",
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    return notRefused(await send(this.#sender, method, path, { body, headers, signal }));
  }
}
