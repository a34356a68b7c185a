// What a host talks to: the present session, and everything that outlives it. Another session takes its place with `startNew`,
// `resume` and `fork`; what the host has chosen (model, effort, modes, permission mode) is carried over. Knows no terminal and no
// wire; hosts are thin over it, and several conversations may live in one process.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  type InputContent,
  type InputOutcome,
  type MessageEntry,
  type RewindRequest,
  readHead,
  realJournalPath,
  type Session,
  type SessionEvent,
  type ToolProvider,
} from "@lathe/agent";
import { textOf } from "@lathe/llm";
import {
  closedOnFailure,
  existingJournal,
  forkedJournal,
  memoryJournal,
  newJournal,
  type OpenedJournal,
} from "../journals/journal-files.ts";
import type { ModelChoice } from "../models/models.ts";
import type { PermissionMode } from "../permissions/judge.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { type ReportedRewind, refusedAsUsage } from "../rewind/report.ts";
import { usageError } from "../usage/exit.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { Approvals } from "./approvals.ts";
import { modelToResume, type RequestFor, requestWith } from "./next-session.ts";
import { type OpenSession, openSession, type Person } from "./open-session.ts";

export interface ConversationParts {
  readonly workspace: Workspace;
  readonly requestFor: RequestFor;
  /** Who answers questions; absent when nobody is there. */
  readonly person?: Person;
  /** Tools that the host may add and remove. */
  readonly toolProviders?: readonly ToolProvider[];
  /** Each session as it becomes the present one, before anything runs in it. */
  readonly onSession?: (open: OpenSession) => void;
  /** Each event as it happens, however slow its readers are. */
  readonly onEvent?: (session: Session, event: SessionEvent) => void;
}

/** What else comes in the user's name (a notice of the loop, a hook's text) is part of the work. */
const BY_THE_USER: ReadonlySet<string> = new Set(["input", "follow_up"]);

export class Conversation {
  readonly workspace: Workspace;
  readonly #parts: ConversationParts;
  readonly #approvals: Approvals | undefined;
  #open!: OpenSession;
  /** What the host chose, even while a larger model is used temporarily. */
  #chosen!: ModelChoice;
  /** --api-key and --base-url are for this provider only. */
  #keyed = "";
  #inputs = 0;
  #instead = 0;

  private constructor(parts: ConversationParts) {
    this.workspace = parts.workspace;
    this.#parts = parts;
    this.#approvals = parts.person?.approve ? new Approvals(parts.person.approve) : undefined;
  }

  static async start(parts: ConversationParts, journal: OpenedJournal): Promise<Conversation> {
    const conversation = new Conversation(parts);
    const open = await conversation.#openWith(journal, () => parts.requestFor(journal));
    conversation.#keyed = open.model.provider;
    conversation.#use(open);
    return conversation;
  }

  get open(): OpenSession {
    return this.#open;
  }
  get session(): Session {
    return this.#open.session;
  }
  /** Takes effect with the next request. */
  get model(): ModelChoice {
    return this.#open.model;
  }
  get permissions(): Permissions {
    return this.#open.permissions;
  }
  get isBusy(): boolean {
    return this.session.state === "processing";
  }
  /** Until readers that keep up have read the end of the work. */
  get isStreaming(): boolean {
    return this.isBusy || this.#inputs > 0;
  }

  /** The session's answer to an input. What is said while it works goes to the session as steering or a follow-up. */
  async submit(content: InputContent): Promise<InputOutcome> {
    const { session } = this;
    if (session.state === "closed") throw new Error("This session has ended. Start a new one, or resume another.");
    this.#inputs++;
    try {
      return await session.submit(content);
    } finally {
      this.#inputs--;
    }
  }

  /** Ends what runs, then runs this. Of several that come at once, the last one takes effect; undefined for the others. */
  async submitInstead(content: InputContent): Promise<InputOutcome | undefined> {
    const own = ++this.#instead;
    do {
      await this.session.interrupt();
      if (own !== this.#instead) return undefined;
    } while (this.isBusy);
    return this.submit(content);
  }

  /** Ends the work. What was said to steer it is taken back, and returned: it was about work that has ended. */
  interrupt(): readonly InputContent[] {
    const { session } = this;
    const queued = session.queued("steering");
    for (const { id } of queued) session.cancelQueued(id);
    void session.interrupt();
    return queued.map(({ content }) => content);
  }

  async switchModel(selector: string): Promise<ModelChoice> {
    this.#chosen = await this.#open.switchModel(selector);
    return this.#chosen;
  }

  /** `undefined`: the model's own. Takes effect with the next request. */
  setEffort(level: string | undefined): void {
    this.session.config.reasoningEffort = level;
  }

  setPermissionMode(mode: PermissionMode): void {
    this.permissions.mode = mode;
  }

  /** A session without a past; kept on disk when the present one is. */
  async startNew(parentSession?: string): Promise<void> {
    const extra = parentSession === undefined ? {} : { parentSession };
    const inMemory = this.#open.journal.path === undefined;
    await this.#goToNew(inMemory ? memoryJournal(this.workspace) : newJournal(this.workspace, extra));
  }

  /** Another session of this directory, with its own model and effort if they are still available. */
  async resume(sessionPath: string): Promise<void> {
    const path = realJournalPath(resolve(this.workspace.machine.cwd, sessionPath));
    if (path === this.#open.journal.path) return;
    const cwd = existsSync(path) ? readHead(path)?.header.cwd : undefined;
    if (cwd !== undefined && cwd !== this.workspace.cwd)
      throw usageError(`Session ${sessionPath} is in another project (${cwd}). Start the agent there.`);
    await this.#goTo(existingJournal(this.workspace, path));
  }

  /** Continues in a copy of the present session; the original does not change. */
  async fork(): Promise<void> {
    const { path } = this.#open.journal;
    if (path === undefined || !existsSync(path))
      throw usageError("Nothing of this session is kept that could be copied.");
    await this.#goTo(forkedJournal(this.workspace, path));
  }

  /** Messages of the user on the present branch, oldest first: the places to branch from. */
  branchPoints(): readonly MessageEntry[] {
    const { journal } = this.session;
    const entries: MessageEntry[] = [];
    for (let id = journal.leaf; id !== null; ) {
      const meta = journal.meta(id);
      if (!meta) break;
      if (meta.type === "message") {
        const entry = journal.entry(id) as MessageEntry;
        if (entry.message.role === "user") entries.push(entry);
      }
      id = meta.parentId;
    }
    return entries.reverse();
  }

  /** Goes back to before a message of the user, whose text is returned. */
  branch(entryId: string): string {
    const entry = this.branchPoints().find(({ id }) => id === entryId);
    if (!entry) throw new Error(`There is no user message ${entryId} on this branch. See get_branch_messages.`);
    this.session.moveTo(entry.parentId);
    return textOf(entry.message);
  }

  /**
   * Goes back to before a message of the user, or to the end of any other entry: conversation and files, or one of them. What came
   * after it stays in the journal.
   */
  async rewind(entryId: string, options: Omit<RewindRequest, "to">): Promise<ReportedRewind> {
    const { journal } = this.session;
    if (!journal.has(entryId)) throw usageError(`There is no entry ${entryId} in this session. See: /rewind`);
    const entry = journal.entry(entryId);
    const isInput = entry.type === "message" && entry.message.role === "user";
    const rewinder = await this.#open.rewinder();
    const result = await refusedAsUsage(rewinder.rewind({ to: isInput ? entry.parentId : entryId, ...options }));
    return { result, text: isInput ? textOf(entry.message) : undefined };
  }

  /** Rewinds the last message of the user, and all that came of it. */
  async undo(options: Omit<RewindRequest, "to">): Promise<ReportedRewind> {
    const last = this.branchPoints().findLast(({ origin }) => origin === undefined || BY_THE_USER.has(origin));
    if (!last) throw usageError("There is no message of yours to take back.");
    return this.rewind(last.id, options);
  }

  /** Takes the last rewind back. */
  async redo(options: { readonly force?: boolean } = {}): Promise<ReportedRewind> {
    const rewinder = await this.#open.rewinder();
    return { result: await refusedAsUsage(rewinder.takeBack(options)) };
  }

  /** Path of the page that was written. */
  async exportHtml(outputPath?: string): Promise<string> {
    const { path } = this.#open.journal;
    if (path === undefined || !existsSync(path))
      throw usageError("Nothing of this session is kept that could be exported.");
    const { exportSession } = await import("../export/export-session.ts");
    return exportSession(this.workspace, path, outputPath);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  // ---- inside ----

  async #goToNew(journal: OpenedJournal): Promise<void> {
    const { reasoningEffort } = this.session.config;
    await this.#replace(journal, this.#chosen);
    this.session.config.reasoningEffort = reasoningEffort;
  }

  async #goTo(journal: OpenedJournal): Promise<void> {
    const own = await closedOnFailure(journal, () => modelToResume(this.workspace, journal.journal));
    if (own) await this.#replace(journal, own);
    else await this.#goToNew(journal);
  }

  /** The next one is opened first: when that fails, nothing has changed. */
  async #replace(journal: OpenedJournal, model: ModelChoice): Promise<void> {
    const before = this.#open;
    const next = await this.#openWith(journal, () => requestWith(this.#parts.requestFor, journal, model, this.#keyed));
    const { steeringMode, followUpMode, interruptMode, retry } = before.session.config;
    Object.assign(next.session.config, { steeringMode, followUpMode, interruptMode, retry });
    next.permissions.mode = before.permissions.mode;
    for (const queue of ["steering", "follow_up"] as const)
      for (const { id } of before.session.queued(queue)) before.session.cancelQueued(id);
    await before.close();
    this.#use(next, model);
  }

  #use(open: OpenSession, chosen: ModelChoice = open.model): void {
    this.#open = open;
    this.#chosen = chosen;
    this.#parts.onSession?.(open);
  }

  #openWith(journal: OpenedJournal, request: () => ReturnType<RequestFor>): Promise<OpenSession> {
    const { workspace, person, toolProviders } = this.#parts;
    return closedOnFailure(journal, async () => {
      let open: OpenSession | undefined;
      open = await openSession(workspace, {
        ...(await request()),
        ...(person ? { person } : {}),
        ...(toolProviders ? { toolProviders } : {}),
        // Events before the session is assigned (its start) are not needed here.
        onEvent: (event) => {
          if (open) this.#follow(open, event);
        },
      });
      return open;
    });
  }

  #follow(open: OpenSession, event: SessionEvent): void {
    this.#approvals?.follow(open.session, open.permissions, event);
    this.#parts.onEvent?.(open.session, event);
  }
}
