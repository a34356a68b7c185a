// What a host talks to: the present session, and everything that outlives it. `startNew`, `resume` and `fork` replace
// the session; what the host has chosen (model, effort, modes, permission mode) carries over. It knows no terminal and
// no wire; several conversations may live in one process.

import type { InputContent, InputOutcome, Navigation, Session, SubmitOptions } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import type { CompactionEntry, MessageEntry } from "@lathe/agent/contract";
import type { RewindOptions, RewindRequest } from "@lathe/agent/files";
import type { PermissionMode } from "@lathe/agent/policy";
import { userMessages } from "@lathe/agent/record";
import { messageOf } from "@lathe/llm";
import type { ReportedRewind } from "../changes/rewind/report.ts";
import type { Permissions } from "../found/permissions/permissions.ts";
import type { ModelChoice } from "../models/models.ts";
import { CliError, EXIT } from "../platform/usage/exit.ts";
import type { PageColours } from "../sessions/export/style.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import { Approvals } from "./approvals.ts";
import type { ConversationParts, ConversationWatcher, Departure } from "./conversation-parts.ts";
import { type HandedOff, handOff, handOffOrSummarize } from "./handoff.ts";
import { IdleCompaction } from "./idle.ts";
import { Maintenance } from "./maintenance.ts";
import { PresentSession } from "./present-session.ts";
import { rewindTo, undoLast, undoRewind } from "./rewind-session.ts";
import type { OpenSession } from "./session-contract.ts";
import { SessionMoves } from "./session-moves.ts";
import type { SessionWorkspace } from "./session-workspace.ts";
import { Titles } from "./titles/titles.ts";
import { isOwn } from "./unsent-messages.ts";
import { UserShell } from "./user-shell.ts";

type Recorded = Pick<SubmitOptions, "onRecorded" | "entryId">;

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #present: PresentSession;
  readonly #approvals: Approvals | undefined;
  // These are made on first use: a run from one prompt to its result uses none of them.
  #idle: IdleCompaction | undefined;
  #shell: UserShell | undefined;
  #titles: Titles | undefined;
  #made: SessionMoves | undefined;
  #inputs = 0;
  #instead = 0;
  readonly #maintenance = new Maintenance();
  readonly #watchers = new Set<ConversationWatcher>();

  private constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#approvals = parts.person?.approve ? new Approvals(parts.person.approve) : undefined;
    const onSession: ConversationParts["onSession"] = (open, arrival) => {
      parts.onSession?.(open, arrival);
      for (const watcher of this.#watchers) watcher.onSession?.(open, arrival);
    };
    this.#present = new PresentSession(
      { ...parts, onSession },
      {
        onPlan: (session, plan) => this.titles.nameAfterPlan(session, plan),
        onEvent: (open, event) => {
          this.#approvals?.follow(open.session, open.permissions, event);
          if (this.workspace.settings["compaction.idleEnabled"])
            this.#idle ??= new IdleCompaction(() => this.workspace, this.#maintenance);
          this.#idle?.follow(open, event);
          parts.onEvent?.(open.session, event);
          for (const watcher of this.#watchers) watcher.onEvent?.(open.session, event);
        },
      },
    );
  }

  static async start(parts: ConversationParts, journal: OpenedJournal): Promise<Conversation> {
    const conversation = new Conversation(parts);
    await conversation.#present.start(journal);
    return conversation;
  }

  /** Adds an observer, which gets what the conversation's host gets from now on. Returns how to remove it. */
  watch(watcher: ConversationWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Commands that the user runs with `!`. */
  get shell(): UserShell {
    this.#shell ??= new UserShell(() => this.session);
    return this.#shell;
  }
  get titles(): Titles {
    this.#titles ??= new Titles(this, this.#parts);
    return this.#titles;
  }
  /** The workspace of the present session. */
  get workspace(): SessionWorkspace {
    return this.#present.workspace;
  }
  get open(): OpenSession {
    return this.#present.open;
  }
  get session(): Session {
    return this.open.session;
  }
  /** A change takes effect with the next request. */
  get model(): ModelChoice {
    return this.open.model;
  }
  get permissions(): Permissions {
    return this.open.permissions;
  }
  get isBusy(): boolean {
    return this.session.state === "processing";
  }
  /** Whether a summary or a briefing is being written, which does not count as work on an input. */
  get isMakingRoom(): boolean {
    return this.#maintenance.isRunning;
  }
  /** True until readers that keep up have read the end of the work. */
  get isStreaming(): boolean {
    return (this.isBusy && !this.isMakingRoom) || this.#inputs > 0;
  }
  /** Whether the user could resume this session: it is on disk and has messages. */
  get isKept(): boolean {
    return this.open.journal.path !== undefined && this.session.journal.context.messages.length > 0;
  }

  /**
   * Sends an input and waits for the outcome. While the session works, the input is queued as steering or a follow-up.
   */
  async submit(content: InputContent, options?: Recorded): Promise<InputOutcome> {
    this.#inputs++;
    let outcome: InputOutcome;
    let session: Session;
    try {
      // Making room may replace this session with another one.
      if (this.isMakingRoom) await this.settled();
      session = this.session;
      if (session.state === "closed") throw new Error("This session has ended. Start a new one, or resume another.");
      if (this.#parts.namesSessions) this.titles.nameAfter(content);
      outcome = await session.submit(content, options);
    } finally {
      this.#inputs--;
    }
    if (outcome.reason === "completed" && session === this.session) await this.#handOffWhenFull();
    return outcome;
  }
  /** Whether work ended in the middle of an input without the user stopping it. */
  get wasCutOff(): boolean {
    const { hasUnfinishedInput, journal } = this.session;
    return hasUnfinishedInput || (journal.input?.state === "end" && journal.input.reason === "aborted");
  }

  /** Finishes the input that an earlier process left unfinished. */
  async continue(): Promise<InputOutcome | undefined> {
    this.#inputs++;
    try {
      return await this.session.continue();
    } finally {
      this.#inputs--;
    }
  }

  /** Interrupts the work, then submits this. If several come at once, the last one wins; the others get undefined. */
  async submitInstead(content: InputContent, options?: Recorded): Promise<InputOutcome | undefined> {
    const own = ++this.#instead;
    do {
      await this.session.interrupt();
      if (own !== this.#instead) return undefined;
    } while (this.isBusy);
    return this.submit(content, options);
  }

  /** Interrupts the work. Returns queued steering messages, which were about that work and are not sent. */
  interrupt(): readonly InputContent[] {
    const { session } = this;
    const queued = session.queuedMessages("steering").filter(isOwn);
    for (const { id } of queued) session.cancelQueued(id);
    void session.interrupt();
    return queued.map(({ content }) => content);
  }

  switchModel(selector: string): Promise<ModelChoice> {
    return this.#present.switchModel(selector);
  }
  /** `undefined` selects the model's own level. Takes effect with the next request. */
  setEffort(level: string | undefined): void {
    this.session.setEffort(level);
  }
  /** Calls stop waiting for their commands, which continue as jobs. Returns the commands. */
  sendToBackground(): readonly string[] {
    return this.open.runningCommands.detachAll();
  }
  setPermissionMode(mode: PermissionMode): void {
    this.permissions.mode = mode;
  }

  /** Adds a folder that may be written to, in this session and later ones. */
  addRoot(path: string): void {
    this.#present.addRoot(path);
  }

  /** Compacts on demand, after interrupting the work. If that fails, a warning has already given the problem. */
  compact(focus?: string): Promise<CompactionEntry | { readonly problem: string }> {
    return this.#maintenance.run(async () => {
      const { session, compaction } = this.open;
      await session.interrupt();
      const wanted = { trigger: "manual", ...(focus === undefined ? {} : { focus }) } as const;
      const { problem } = await session.compact(compaction.compaction.demand(wanted));
      if (problem !== undefined) return { problem };
      return session.journal.entry(session.journal.context.entryIds[0]!) as CompactionEntry;
    });
  }

  /**
   * Continues in a new session that begins with a briefing of this one, and returns the briefing. Undefined when
   * interrupted; then, or when it fails, this session stays the present one.
   */
  async handoff(focus?: string): Promise<string | undefined> {
    try {
      return (await this.#maintenance.run(() => this.#handOff(focus)))?.document;
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw new CliError(EXIT.failed, `Handoff failed: ${sentence(messageOf(error))} You are still in this session.`);
    }
  }

  /** Waits until the summary or handoff has ended; after a handoff another session is the present one. */
  settled(): Promise<void> {
    return this.#maintenance.whenIdle();
  }
  /** False: compaction only runs on demand. Also applies to later sessions. */
  set autoCompaction(enabled: boolean) {
    this.open.compaction.automatic = enabled;
  }
  get autoCompaction(): boolean {
    return this.open.compaction.automatic;
  }

  /** Restores everything that compactions removed from the context. */
  async restoreHistory(): Promise<boolean> {
    await this.session.interrupt();
    return this.session.restoreHistory();
  }

  /** Starts an empty session, saved if the present one is. */
  startNew(parentSession?: string): Promise<Departure> {
    return this.#moves.startNew({ parentSession });
  }
  /** Resumes another session of this directory, with its own model and effort if they are still available. */
  resume(sessionPath: string): Promise<Departure> {
    return this.#moves.resume(sessionPath);
  }
  /**
   * Recovers from a session that ended by itself, as on a full disk: reopens it from what its file holds, or starts a
   * new one.
   */
  reopen(): Promise<"resumed" | "new"> {
    return this.#moves.reopen();
  }
  /** Continues in a copy of the present session; the original does not change. */
  fork(): Promise<Departure> {
    return this.#moves.fork();
  }

  /** The user's messages on the present branch, oldest first. */
  branchPoints(): readonly MessageEntry[] {
    return userMessages(this.session.journal);
  }

  /** Continues in a new session with the history before a message of the user, and returns that message's text. */
  branch(entryId: string): Promise<Departure & { readonly text: string }> {
    return this.#moves.branch(entryId);
  }
  /** Moves to another entry of the session's tree (null: the start). Without `summarize`, the settings decide. */
  navigate(
    entryId: string | null,
    options?: { readonly summarize?: boolean; readonly focus?: string },
  ): Promise<Navigation> {
    return this.#moves.navigate(entryId, options);
  }
  /** Moves the present session to another directory, whose settings and instructions apply from then on. */
  move(directory: string): Promise<Departure> {
    return this.#moves.move(directory);
  }

  /**
   * Goes back to before a message of the user, or to the end of any other entry: conversation, files, or both. Later
   * entries stay in the journal.
   */
  rewind(name: string, options: Omit<RewindRequest, "to">): Promise<ReportedRewind> {
    return rewindTo(this.open, name, options);
  }
  /** Rewinds the user's last message and everything that followed. */
  undo(options: Omit<RewindRequest, "to">): Promise<ReportedRewind> {
    return undoLast(this.open, options);
  }
  /** Undoes the last rewind. */
  redo(options: RewindOptions = {}): Promise<ReportedRewind> {
    return undoRewind(this.open, options);
  }

  /** Returns the path of the page; `colours` come from the host's theme. */
  async exportHtml(out?: string, colours?: PageColours): Promise<string> {
    const path = this.#moves.requireSavedFile("exported");
    const { exportSession } = await import("../sessions/export/export-session.ts");
    return exportSession(this.workspace, path, { out, colours });
  }

  close(): Promise<void> {
    return this.open.close();
  }

  // ---- inside ----

  #handOff(focus?: string): Promise<HandedOff | undefined> {
    return handOff(this.open, focus, async (header) => ({
      ...(await this.#moves.startNew(header)),
      session: this.session,
    }));
  }

  /** Used by the strategy `handoff`. Messages that arrived meanwhile are sent to the new session. */
  async #handOffWhenFull(): Promise<void> {
    const open = this.open;
    const { session, compaction } = open;
    if (this.#parts.staysInSession) return;
    if (compaction.settings.strategy !== "handoff" || session.state !== "idle") return;
    if (!compaction.compaction.isFull(session.nextRequest())) return;
    const unsent = await this.#maintenance.run(() => handOffOrSummarize(this.workspace, open, () => this.#handOff()));
    for (const content of unsent) await this.submit(content);
  }

  get #moves(): SessionMoves {
    this.#made ??= new SessionMoves(this.#present, this.#parts);
    return this.#made;
  }
}
