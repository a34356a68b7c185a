// The session a host talks to at the moment, and the stream of its events. Another one takes its place with new_session and
// switch_session; what the host has set (model, effort, modes, tools, addresses) goes along.

import type { EndReason, InputContent, Session, SessionEvent } from "@lathe/agent";
import type { OpenedJournal } from "../../run/journal-files.ts";
import type { ModelChoice } from "../../run/model.ts";
import { type OpenSession, openSession, type SessionRequest } from "../../run/open-session.ts";
import type { Workspace } from "../../run/workspace.ts";
import { toWireEvents } from "../wire/map-events.ts";
import type { LineWriter } from "../wire/writer.ts";
import { PROTOCOL_VERSION } from "./frames.ts";
import type { HostTools } from "./host-tools.ts";
import type { HostUris } from "./host-uris.ts";
import type { HostPerson } from "./person.ts";

export interface RpcSessionParts {
  readonly workspace: Workspace;
  readonly requestFor: (opened: OpenedJournal) => Promise<SessionRequest>;
  readonly writer: LineWriter;
  readonly person: HostPerson;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
}

export class RpcSession {
  readonly #parts: RpcSessionParts;
  readonly #seqs = new Map<string, number>();
  #frames = 0;
  #open: OpenSession;
  #model: ModelChoice;
  #lastEnd: EndReason = "completed";
  #retrying = false;
  #compacting = false;
  /** Ends of work that the host has not been told yet. */
  #untoldEnds = 0;

  private constructor(parts: RpcSessionParts, opened: { open: OpenSession; model: ModelChoice }) {
    this.#parts = parts;
    this.#open = opened.open;
    this.#model = opened.model;
  }

  static async start(parts: RpcSessionParts, journal: OpenedJournal): Promise<RpcSession> {
    const request = await parts.requestFor(journal);
    // The listener of the first session needs the object that is made from it.
    let self: RpcSession | undefined;
    const open = await openWith(parts, request, (session, event) => {
      if (self) self.#follow(session, event);
    });
    self = new RpcSession(parts, { open, model: request.model });
    void self.#pump(open.session);
    return self;
  }

  get workspace(): Workspace {
    return this.#parts.workspace;
  }
  get open(): OpenSession {
    return this.#open;
  }
  get session(): Session {
    return this.#open.session;
  }
  get model(): ModelChoice {
    return this.#model;
  }
  get isBusy(): boolean {
    return this.session.state === "processing";
  }
  /** Until the end of the work is on its way to the host. */
  get isStreaming(): boolean {
    return this.isBusy || this.#untoldEnds > 0;
  }
  get isRetrying(): boolean {
    return this.#retrying;
  }
  get isCompacting(): boolean {
    return this.#compacting;
  }

  /** Runs one input, and what was steered too late to be part of it. */
  async run(content: InputContent): Promise<void> {
    const { session } = this;
    if (!this.isBusy) this.#parts.hostUris.announce(session);
    await session.submit(content);
    while (this.#lastEnd === "completed" && session.state === "idle") {
      const [late] = session.queued("steering");
      if (!late) return;
      session.cancelQueued(late.id);
      await session.submit(late.content);
    }
  }

  async switchModel(selector: string): Promise<void> {
    this.#model = await this.#open.switchModel(selector);
  }

  /** The new one is opened first: when that fails, nothing has changed. */
  async replace(journal: OpenedJournal): Promise<void> {
    const { requestFor, hostUris } = this.#parts;
    const before = this.#open;
    const request = { ...(await requestFor(journal)), model: this.#model };
    const next = await openWith(this.#parts, request, (session, event) => this.#follow(session, event));
    const { steeringMode, followUpMode, interruptMode, reasoningEffort, retry } = before.session.config;
    Object.assign(next.session.config, { steeringMode, followUpMode, interruptMode, reasoningEffort, retry });
    next.permissions.mode = before.permissions.mode;
    await before.close();
    this.#open = next;
    this.#retrying = false;
    this.#compacting = false;
    hostUris.addTo(next.session.schemes);
    void this.#pump(next.session);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  /** As it happens, however slow the host reads. */
  #follow(session: Session, event: SessionEvent): void {
    this.#parts.person.follow(session, event);
    switch (event.kind) {
      case "processing_end":
        this.#lastEnd = event.data.reason;
        this.#untoldEnds++;
        break;
      case "retry":
        this.#retrying = true;
        break;
      case "assistant_text_start":
      case "turn_end":
        this.#retrying = false;
        break;
      case "compaction_start":
      case "compaction_end":
        this.#compacting = event.kind === "compaction_start";
        break;
    }
  }

  /** While the host does not read, deltas are merged in the session's queue instead of piling up here. */
  async #pump(session: Session): Promise<void> {
    const map = toWireEvents();
    for await (const event of session.events()) {
      for (const wire of map(event)) this.#parts.writer.write(this.#envelope(session.id, wire));
      if (event.kind === "processing_end") this.#untoldEnds--;
      const later = this.#parts.writer.ready;
      if (later) await later;
    }
  }

  #envelope(session_id: string, event: { readonly type: string }): object {
    const seq = (this.#seqs.get(session_id) ?? 0) + 1;
    this.#seqs.set(session_id, seq);
    return {
      type: "event",
      protocol_version: PROTOCOL_VERSION,
      session_id,
      seq,
      frame_id: `frame_${++this.#frames}`,
      payload: { event_type: event.type, event },
    };
  }
}

async function openWith(
  parts: RpcSessionParts,
  request: SessionRequest,
  follow: (session: Session, event: SessionEvent) => void,
): Promise<OpenSession> {
  let session: Session | undefined;
  const open = await openSession(parts.workspace, {
    ...request,
    person: parts.person,
    toolProviders: [parts.hostTools],
    // What comes before the session is held (its start) concerns nobody here.
    onEvent: (event) => {
      if (session) follow(session, event);
    },
  });
  session = open.session;
  return open;
}
