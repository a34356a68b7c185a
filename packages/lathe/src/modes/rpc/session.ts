// The session a host talks to at the moment, and the stream of its events. Another one takes its place with new_session and
// switch_session; what the host has set (model, effort, modes, tools, addresses) goes along.

import type { InputContent, Session, SessionEvent } from "@lathe/agent";
import { closedOnFailure, type OpenedJournal } from "../../run/journal-files.ts";
import type { ModelChoice } from "../../run/model.ts";
import { modelToResume, type RequestFor, requestWith } from "../../run/next-session.ts";
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
  readonly requestFor: RequestFor;
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
  /** What the host wants, also when a larger model has taken over for a while. */
  #chosen: ModelChoice;
  /** --api-key and --base-url are for this one only. */
  readonly #keyed: string;
  #instead = 0;
  #retrying = false;
  #compacting = false;
  /** Ends of work that the host has not been told yet. */
  #untoldEnds = 0;

  private constructor(parts: RpcSessionParts, open: OpenSession) {
    this.#parts = parts;
    this.#open = open;
    this.#chosen = open.model;
    this.#keyed = open.model.provider;
  }

  static start(parts: RpcSessionParts, journal: OpenedJournal): Promise<RpcSession> {
    return closedOnFailure(journal, async () => {
      const request = await parts.requestFor(journal);
      // The listener of the first session needs the object that is made from it.
      let self: RpcSession | undefined;
      const open = await openWith(parts, request, (session, event) => {
        if (self) self.#follow(session, event);
      });
      self = new RpcSession(parts, open);
      void self.#pump(open.session);
      return self;
    });
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
    return this.#open.model;
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

  async run(content: InputContent): Promise<void> {
    const { session } = this;
    if (session.state === "closed")
      throw new Error("This session has ended. Go on in another one: new_session, or switch_session.");
    if (!this.isBusy) this.#parts.hostUris.announce(session);
    await session.submitWithLate(content);
  }

  /** Ends what runs, then runs this. Of several that come at once, the last one counts. */
  async runInstead(content: InputContent): Promise<void> {
    const own = ++this.#instead;
    do {
      await this.session.interrupt();
      if (own !== this.#instead) return;
    } while (this.isBusy);
    await this.run(content);
  }

  async switchModel(selector: string): Promise<void> {
    this.#chosen = await this.#open.switchModel(selector);
  }

  /** A session without a past: it goes on with what the host has chosen. */
  async goToNew(journal: OpenedJournal): Promise<void> {
    const { reasoningEffort } = this.session.config;
    await this.#replace(journal, this.#chosen);
    this.session.config.reasoningEffort = reasoningEffort;
  }

  /** A session with a past brings its own model and effort, when they can still be had. */
  async goTo(journal: OpenedJournal): Promise<void> {
    const own = await closedOnFailure(journal, () => modelToResume(this.workspace, journal.journal));
    if (own) await this.#replace(journal, own);
    else await this.goToNew(journal);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  /** The next one is opened first: when that fails, nothing has changed. */
  async #replace(journal: OpenedJournal, model: ModelChoice): Promise<void> {
    const { requestFor, hostUris } = this.#parts;
    const before = this.#open;
    const next = await closedOnFailure(journal, async () => {
      const request = await requestWith(requestFor, journal, model, this.#keyed);
      return openWith(this.#parts, request, (session, event) => this.#follow(session, event));
    });
    const { steeringMode, followUpMode, interruptMode, retry } = before.session.config;
    Object.assign(next.session.config, { steeringMode, followUpMode, interruptMode, retry });
    next.permissions.mode = before.permissions.mode;
    for (const queue of ["steering", "follow_up"] as const)
      for (const { id } of before.session.queued(queue)) before.session.cancelQueued(id);
    await before.close();
    this.#open = next;
    this.#chosen = model;
    this.#retrying = false;
    this.#compacting = false;
    hostUris.addTo(next.session.schemes);
    void this.#pump(next.session);
  }

  /** As it happens, however slow the host reads. */
  #follow(session: Session, event: SessionEvent): void {
    this.#parts.person.follow(session, event);
    switch (event.kind) {
      case "processing_end":
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
