// The typed client of bridge mode: answers the gates of sessions over HTTPS. Uses only `fetch` and streams.

import type { GateReply, WorkflowGate } from "../../../conversation/gates/gate.ts";
import type { GateHandler } from "../../../hosts/rpc-client/client.ts";
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
} from "../requests.ts";
import { serverEvents } from "../server-events.ts";

/** The bridge's address and token. */
export interface BridgeClientOptions {
  /** Such as `https://127.0.0.1:4077`. */
  readonly baseUrl: string;
  /** The value of LATHE_BRIDGE_TOKEN. */
  readonly token: string;
  /**
   * A custom `fetch`, for example one that trusts the bridge's certificate. Node's own trusts those in
   * NODE_EXTRA_CA_CERTS.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What the bridge offers, as its handshake says. */
export interface BridgeHandshake {
  readonly version: string;
  readonly protocol: number;
  readonly endpoints: Readonly<Record<string, boolean>>;
  readonly scopes: readonly string[];
  readonly accepted_scopes: readonly string[];
}

/** A gate that was answered here, and the bridge's reply. */
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
/** Attempts to send an answer over a broken connection, with the same key. */
const MOST_TRIES = 3;

/**
 * Talks to `lathe --mode bridge` with LATHE_BRIDGE_GATES=1. Every method rejects with LatheServerError if the bridge
 * refuses or cannot be reached.
 */
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

  /**
   * Resolves with the token for answering gates of this session. `force` also takes over a session that another client
   * owns; that client is refused from then on.
   */
  async claim(sessionId: string, { force = false }: { readonly force?: boolean } = {}): Promise<string> {
    const response = await this.#request("POST", `${sessionPath(sessionId)}/ownership`, { force });
    return ((await jsonOf(response)) as { readonly owner_token: string }).owner_token;
  }
  async release(sessionId: string, ownerToken: string): Promise<void> {
    await this.#request("POST", `${sessionPath(sessionId)}/ownership/release`, {}, { [OWNER_HEADER]: ownerToken });
  }

  /**
   * Resolves with the reply to the answer; rejects if the gate takes none, for example with the code
   * `already_resolved`.
   */
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
        // The answer may have arrived; thanks to its key, it counts only once.
        if (!(error instanceof LatheServerError) || error.status !== 0 || tried === MOST_TRIES) throw error;
      }
    }
  }

  /**
   * Passes every gate of the session to the resolver and answers with what it returns; if that is undefined, another
   * client answers. Yields each gate answered here, even if the answer was rejected. Reconnects as needed; ends with
   * the session or the signal.
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
    for await (const { number, frame } of withReconnects({ connect, isLast, signal })) {
      last = number;
      if (frame.type !== "workflow_gate") continue;
      const answer = await resolver(frame);
      if (answer === undefined) continue;
      const reply = await this.#answerIfOpen(sessionId, frame, answer, ownerToken);
      if (reply) yield { gate: frame, reply };
    }
  }

  /** Undefined if another client was faster. */
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
    const { body } = await throwIfRefused(await send(this.#sender, "GET", path, { signal }));
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
    return throwIfRefused(await send(this.#sender, method, path, { body, headers, signal }));
  }
}
