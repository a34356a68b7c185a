// Sends updates to the client of a session in order: the session's events, and updates from other sources. A client
// that reads slowly slows this stream down, never the session.

import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Access, Session, SessionEvent } from "@lathe/agent";
import type { Updates } from "./updates.ts";

export interface UpdateStreamParts {
  readonly client: AgentContext;
  readonly sessionId: () => string;
  readonly updatesFor: (session: Session) => Updates;
  /** Called after each call, since it may have changed something like the mode. */
  readonly onCallEnd: () => Promise<void>;
}

export class UpdateStream {
  readonly #parts: UpdateStreamParts;
  readonly #begun: Promise<void>;
  #begin: () => void = () => {};
  /** Questions about calls that the client does not know yet. */
  readonly #waiting = new Map<string, () => void>();
  #updates: Updates | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** Numbers of the last event and of the last one the client was sent. */
  #seq = 0;
  #told = 0;
  readonly #onTold = new Set<() => void>();

  constructor(parts: UpdateStreamParts) {
    this.#parts = parts;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** A client drops updates for a session whose id it does not know yet, so events wait for this. */
  begin(): void {
    this.#begin();
  }

  /** Resolves once the client was told that the session has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  follow(session: Session): void {
    this.#updates = this.#parts.updatesFor(session);
    this.#ended = this.#pump(session, this.#updates);
  }

  onEvent({ seq }: SessionEvent): void {
    this.#seq = seq;
  }

  /** Errors are ignored: when the client is gone, the end of the connection closes the session. */
  async tell(update: SessionUpdate | undefined): Promise<void> {
    const { client, sessionId } = this.#parts;
    if (update) await client.notify("session/update", { sessionId: sessionId(), update }).catch(() => {});
  }

  sendAccess(callId: string, access: readonly Access[] | undefined): Promise<void> {
    return this.tell(this.#updates?.accessUpdate(callId, access));
  }

  sendTerminal(command: string, terminalId: string): Promise<void> {
    return this.tell(this.#updates?.terminalUpdate(command, terminalId));
  }

  /** Resolves once the client was sent everything that has happened so far. */
  async catchUp(): Promise<void> {
    const wanted = this.#seq;
    while (this.#told < wanted) await new Promise<void>((resolve) => this.#onTold.add(resolve));
  }

  /** Resolves once the client knows the call, so that a question about it comes after it. */
  async whenAnnounced(callId: string, signal: AbortSignal): Promise<void> {
    if (this.#updates?.isAnnounced(callId) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.set(callId, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#waiting.delete(callId);
  }

  /** While the client does not read, the session's queue merges deltas, so they do not pile up here. */
  async #pump(session: Session, updates: Updates): Promise<void> {
    const events = session.events();
    await this.#begun;
    for await (const event of events) {
      for (const update of updates.of(event)) await this.tell(update);
      if (event.kind === "tool_call_start") this.#waiting.get(event.data.call_id)?.();
      if (event.kind === "tool_call_end") await this.#parts.onCallEnd();
      this.#advance(event.seq);
    }
    this.#advance(Number.POSITIVE_INFINITY);
  }

  #advance(seq: number): void {
    this.#told = seq;
    for (const look of this.#onTold) look();
    this.#onTold.clear();
  }
}
