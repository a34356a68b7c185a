// What the client of a session is told, in order: the session's events as updates, and what comes from beside them. A client that reads
// slowly slows the stream down, never the session.

import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Access, Session, SessionEvent } from "@lathe/agent";
import type { Updates } from "./updates.ts";

export interface UpdateStreamParts {
  readonly client: AgentContext;
  readonly sessionId: () => string;
  readonly updatesFor: (session: Session) => Updates;
  /** A call may have changed what the client was told elsewhere, such as the mode. */
  readonly onCallEnd: () => Promise<void>;
}

export class UpdateStream {
  readonly #parts: UpdateStreamParts;
  readonly #begun: Promise<void>;
  #begin: () => void = () => {};
  /** Questions about calls of which the client was not told yet. */
  readonly #waiting = new Map<string, () => void>();
  #updates: Updates | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** Of the last event, and of the last one of which the client was told. */
  #seq = 0;
  #told = 0;
  readonly #onTold = new Set<() => void>();

  constructor(parts: UpdateStreamParts) {
    this.#parts = parts;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** A client drops what it is told of a session before it knows its id: the events wait until then. */
  begin(): void {
    this.#begin();
  }

  /** Settles when the client was told of the session's end. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  follow(session: Session): void {
    this.#updates = this.#parts.updatesFor(session);
    this.#ended = this.#pump(session, this.#updates);
  }

  /** Each event as it happens. */
  heard({ seq }: SessionEvent): void {
    this.#seq = seq;
  }

  /** Whoever speaks to a client that has gone speaks to nobody: the connection's end closes the session. */
  async tell(update: SessionUpdate | undefined): Promise<void> {
    const { client, sessionId } = this.#parts;
    if (update) await client.notify("session/update", { sessionId: sessionId(), update }).catch(() => {});
  }

  declared(callId: string, access: readonly Access[] | undefined): Promise<void> {
    return this.tell(this.#updates?.declared(callId, access));
  }

  inTerminal(command: string, terminalId: string): Promise<void> {
    return this.tell(this.#updates?.inTerminal(command, terminalId));
  }

  /** The client was told of all that has happened until now. */
  async caughtUp(): Promise<void> {
    const wanted = this.#seq;
    while (this.#told < wanted) await new Promise<void>((resolve) => this.#onTold.add(resolve));
  }

  /** A question about a call follows the call. */
  async announced(callId: string, signal: AbortSignal): Promise<void> {
    if (this.#updates?.isAnnounced(callId) || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.set(callId, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#waiting.delete(callId);
  }

  /** While the client does not read, deltas are merged in the session's queue instead of piling up here. */
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
