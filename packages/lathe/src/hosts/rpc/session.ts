// The conversation a host talks to, and its events on the wire.

import type { InputContent, InputOutcome, Session, SessionEvent } from "@lathe/agent";
import { Conversation } from "../../conversation/conversation.ts";
import { type ExpansionOptions, InputExpansion } from "../../conversation/expand-input.ts";
import { askLeftOpen, isLeftOpen } from "../../conversation/gates/open-question.ts";
import goOn from "../../conversation/go-on.md";
import type { RequestFor } from "../../conversation/next-session.ts";
import type { OpenSession } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { hasLeftMessages } from "../../conversation/unsent-messages.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { journalName } from "../../sessions/list.ts";
import type { WireEvent } from "../wire/events.ts";
import { toWireEvents } from "../wire/map-events.ts";
import type { FrameWriter } from "../wire/writer.ts";
import { PROTOCOL_VERSION } from "./frames.ts";
import type { HostTools } from "./host-tools.ts";
import type { HostUris } from "./host-uris.ts";
import type { HostPerson } from "./person.ts";

export interface RpcSessionParts {
  readonly workspace: SessionWorkspace;
  readonly requestFor: RequestFor;
  /** Absent: sessions cannot be moved. */
  readonly workspaceAt: ((cwd: string) => Promise<SessionWorkspace>) | undefined;
  readonly writer: FrameWriter;
  readonly person: HostPerson;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
}

export class RpcSession {
  readonly #parts: Pick<RpcSessionParts, "writer" | "hostUris">;
  #conversation!: Conversation;
  readonly #expansion = new InputExpansion();
  readonly #seqs = new Map<string, number>();
  /** By session: the last entry that its events have reported. The journal may be ahead. */
  readonly #entries = new Map<string, string | null>();
  /** By session id: the name from its first words. */
  readonly #firstWords = new Map<string, string>();
  #frames = 0;
  #retrying = false;
  #compacting = false;

  private constructor(parts: Pick<RpcSessionParts, "writer" | "hostUris">) {
    this.#parts = parts;
  }

  static async start(parts: RpcSessionParts, journal: OpenedJournal): Promise<RpcSession> {
    const { workspace, requestFor, workspaceAt, person, hostTools } = parts;
    const self = new RpcSession(parts);
    self.#conversation = await Conversation.start(
      {
        workspace,
        requestFor,
        ...(workspaceAt ? { workspaceAt } : {}),
        person,
        toolProviders: [hostTools],
        onSession: (open) => self.#begin(open),
        ...(workspace.env["LATHE_RPC_EMIT_TITLE"] ? { onTitle: (title: string) => person.setTitle(title) } : {}),
        onEvent: (_session, event) => self.#follow(event),
      },
      journal,
    );
    return self;
  }

  /** Wraps a conversation of another host in this process. `stop` ends its events. */
  static around(
    conversation: Conversation,
    parts: Pick<RpcSessionParts, "writer" | "hostUris">,
  ): { readonly current: RpcSession; readonly stop: () => void } {
    const current = new RpcSession(parts);
    current.#conversation = conversation;
    current.#begin(conversation.open);
    const stop = conversation.watch({
      onSession: (open) => current.#begin(open),
      onEvent: (_session, event) => current.#follow(event),
    });
    return { current, stop };
  }

  get conversation(): Conversation {
    return this.#conversation;
  }
  get session(): Session {
    return this.#conversation.session;
  }
  get isBusy(): boolean {
    return this.#conversation.isBusy;
  }
  /** The session's name in lists; null before its first message. A name from its first words stays after a rewind. */
  get name(): string | null {
    const { id, journal } = this.session;
    if (journal.title) return journalName(journal) ?? null;
    const name = this.#firstWords.get(id) ?? journalName(journal);
    if (name !== undefined) this.#firstWords.set(id, name);
    return name ?? null;
  }
  get isRetrying(): boolean {
    return this.#retrying;
  }
  get isCompacting(): boolean {
    return this.#compacting;
  }

  /** Expands a command; undefined when the command did its work. Returns at once if the text names no command. */
  expand(content: InputContent, options?: ExpansionOptions): ReturnType<InputExpansion["expand"]> {
    return this.#expansion.expand(content, this.#conversation.open, options);
  }

  /** `recorded` is called when the message is in the journal. */
  async run(content: InputContent, recorded: () => void, entryId?: string): Promise<InputOutcome> {
    if (!this.isBusy) this.#parts.hostUris.announce(this.session);
    let isRecorded = false;
    const onRecorded = (): void => {
      isRecorded = true;
      recorded();
    };
    const outcome = await this.#conversation.submit(content, { onRecorded, entryId });
    // The message was not written, for instance on a full disk. The host must not take it as confirmed.
    if (!isRecorded) throw new Error(outcome.error?.message ?? "The message could not be recorded.");
    return outcome;
  }

  /** An earlier process ended during an input, or before the queued message after it. */
  get hasUnfinishedInput(): boolean {
    return this.#conversation.wasCutOff || hasLeftMessages(this.session);
  }

  /** Finishes that input. If the session was closed properly, the model is asked to continue. */
  async finishInput(recorded: () => void): Promise<void> {
    const { session } = this;
    const { open } = this.#conversation;
    if (isLeftOpen(open)) {
      recorded();
      if (await askLeftOpen(open)) await this.run(goOn.trim(), () => {});
      return;
    }
    const hasLeft = hasLeftMessages(session);
    if (!session.hasUnfinishedInput && !hasLeft) return void (await this.run(goOn.trim(), recorded));
    // The input already is in the journal and stays there until it is finished.
    recorded();
    if (hasLeft && session.queuedMessages("follow_up").length === 0) await session.runQueued();
    else await this.#conversation.continue();
  }

  #begin({ session }: OpenSession): void {
    this.#retrying = false;
    this.#compacting = false;
    this.#parts.hostUris.addTo(session.schemes);
    this.#entries.set(session.id, session.journal.leaf);
    void this.#pump(session);
  }

  /** Sends one of Lathe's own events. */
  emit(event: WireEvent): void {
    this.#parts.writer.write(this.#envelope(this.session.id, event));
  }

  /** Follows events as they happen, however slowly the host reads. */
  #follow(event: SessionEvent): void {
    switch (event.kind) {
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
      if (event.kind === "entry") this.#entries.set(session.id, event.data.id);
      if (event.kind === "tree_moved") this.#entries.set(session.id, event.data.new_leaf_id);
      if (event.kind === "snapshot") this.#entries.set(session.id, event.data.leaf_id);
      for (const wire of map(event)) this.#parts.writer.write(this.#envelope(session.id, wire));
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
      entry_id: this.#entries.get(session_id) ?? null,
      payload: { event_type: event.type, event },
    };
  }
}
