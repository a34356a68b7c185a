// The session object that a host holds. It only decides what may be done when; the work is in the other modules of this
// folder.

import type { InferSchema, JsonValue, SchemaInput, ToolChoice } from "@lathe/llm";
import type { Exchange } from "../agents/irc/exchange.ts";
import type { Mailbox } from "../agents/irc/types.ts";
import { Subagents } from "../agents/subagents/manager.ts";
import type { Spent } from "../agents/subagents/records.ts";
import type { HostSubagents } from "../agents/subagents/types.ts";
import type { Amounts } from "../base/budget/ledger.ts";
import { textOfContent } from "../base/text/content.ts";
import { abortController } from "../base/time/deadline.ts";
import type { ContextLedger } from "../context/ledger/types.ts";
import type { PrefixTexts } from "../context/prefix/prefix.ts";
import type { ApprovalAnswer } from "../contract/approval.ts";
import type {
  InputContent,
  InputOutcome,
  MessageSource,
  SessionEvents,
  SessionState,
} from "../contract/events/types.ts";
import type { CustomEntry, TreeEntry } from "../contract/journal.ts";
import type { SessionTool } from "../contract/registry/host-tool.ts";
import type { SchemeRegistry } from "../contract/seams/schemes.ts";
import type {
  CompactionDemand,
  CompactionPlan,
  Middleware,
  RequestInfo,
  SessionSwitch,
  SideAnswer,
  SideCall,
} from "../contract/seams/types.ts";
import type { SessionFacts } from "../contract/session-state.ts";
import type { ToolDef } from "../contract/tool.ts";
import { checkOptions } from "../contract/wrong-argument.ts";
import type { Journal } from "../record/journal/journal.ts";
import { checkLabel } from "../record/journal/labels.ts";
import type { Profile } from "../tools/profiles/types.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import { type Beside, SessionBeside } from "./beside.ts";
import { mayHaveChildren, offerChildren, parentSession } from "./children.ts";
import { applyCompaction, type CompactionOutcome, restoreHistory } from "./compaction.ts";
import type { SessionConfig } from "./config.ts";
import { sessionContextLedger } from "./context-ledger.ts";
import { SessionCore } from "./core.ts";
import { customEntriesOf, customEntry, customMessage } from "./custom-entries.ts";
import { joinExchange } from "./exchange.ts";
import { historyOf } from "./history.ts";
import { checkCompaction } from "./host-arguments.ts";
import type { Delivery, QueuedMessage } from "./inbox.ts";
import { InputRunner } from "./input-runner.ts";
import type { Deliver } from "./job-reports.ts";
import { SessionMailbox } from "./mailbox.ts";
import { leafMoved, type NavigateOptions, type Navigation, navigateTo, plannedMove } from "./navigation.ts";
import { changeQueued } from "./queue.ts";
import { recoverSession } from "./recovery.ts";
import { describeRequest, noteEffort, noteModelAndEffort, prefixOf, switchProfile } from "./request.ts";
import { sideCall } from "./side-call.ts";
import type { ModelClient, SessionOptions, SubmitOptions, Turn } from "./types.ts";

/**
 * A conversation with a model that works: takes inputs, runs tools, reports everything as events, and keeps it in a
 * journal. `Output` is the type of answers that fit `outputSchema`.
 */
export class Session<Output = unknown> {
  readonly #core: SessionCore;
  readonly #subagents: Subagents;
  /** The user's own commands, background jobs, small questions to a model. */
  readonly beside: Beside;
  /** Messages of other agents that wait for the next request. */
  readonly mailbox: Mailbox;
  /** Exchanges messages with other agents. Absent if the session sends none. */
  readonly exchange: Exchange | undefined;
  readonly #inputs: InputRunner;

  constructor(options: SessionOptions) {
    const core = new SessionCore(options);
    this.#core = core;
    const inputs = new InputRunner(core, () => Promise.all([this.#subagents.closeAll(), this.beside.close()]));
    this.#inputs = inputs;
    const deliver: Deliver = (content, source, wakes, id) => inputs.deliver(content, source, wakes, id);
    this.beside = new SessionBeside(core, deliver);
    this.mailbox = new SessionMailbox(core);
    const exchange = joinExchange(core, this.mailbox, () => inputs.runReports());
    this.exchange = exchange;
    this.#subagents = new Subagents(parentSession(core, (own) => new Session(own), deliver, exchange));
    if (mayHaveChildren(core)) offerChildren(core, this.#subagents);
    core.emit("session_start", {
      profile: core.profile.id,
      model: core.profile.model,
      cwd: options.env.workingDirectory(),
      resumed: core.resumed,
    });
    // After the first event, because a tool that cannot be offered is a warning.
    core.tools.setProfile(core.profile);
    for (const loss of core.journal.losses) core.warn(loss.message, `journal_${loss.kind}`);
    if (!core.resumed) return;
    inputs.unfinished = recoverSession(core, {
      messages: options.exchange ? undefined : () => exchange?.recover(this.mailbox),
      children: () => this.#subagents.recover(),
      leftByCall: (callId) => this.#subagents.leftByCall(callId),
      jobs: () => this.beside.recover(),
    });
  }

  /** Opens a journal and, on request, finishes the work that an earlier run left. */
  static resume(options: SessionOptions & { readonly journal: Journal; readonly continue?: boolean }): Session {
    const session = new Session(options);
    // Deferred, so that readers opened now see it from the start. By then the host may have used the session.
    if (options.continue) queueMicrotask(() => void (session.#inputs.isFree() && session.continue()));
    return session;
  }

  get id(): string {
    return this.#core.id;
  }
  get state(): SessionState {
    return this.#core.state;
  }
  get profile(): Profile {
    return this.#core.profile;
  }
  get env(): ExecutionEnvironment {
    return this.#core.options.env;
  }
  get client(): ModelClient {
    return this.#core.client;
  }
  get journal(): Journal {
    return this.#core.journal;
  }
  /** The fields can be assigned at any time; changes take effect from the next call. */
  get config(): SessionConfig {
    return this.#core.config;
  }
  get depth(): number {
    return this.#core.options.depth ?? 0;
  }
  get subagents(): HostSubagents {
    return this.#subagents;
  }
  /** Reads the journal, so keep it out of hot paths. */
  get history(): Turn[] {
    return historyOf(this.#core.journal);
  }
  get usage(): Spent {
    const { ledger, turns } = this.#core;
    return { usage: ledger.usage, cost: ledger.cost, turns, calls: ledger.spent.calls, uncertain: ledger.uncertain };
  }
  /** Everything the session has spent, its children included. */
  get spent(): Amounts {
    return this.#core.ledger.spent;
  }
  /** True when an earlier process ended in the middle of an input; see `continue`. */
  get hasUnfinishedInput(): boolean {
    return this.#inputs.unfinished !== undefined;
  }
  /** Tokens of the next request, as far as we know them. */
  get contextTokens(): number {
    return this.#core.meter.tokens();
  }
  /** The next request in the form that compaction examines. */
  nextRequest(): RequestInfo {
    return describeRequest(this.#core);
  }
  /** The addresses that tools can read and write; a host may add and remove its own. */
  get schemes(): SchemeRegistry {
    return this.#core.schemes;
  }
  /** Values that tools keep between calls on this branch, such as the todo list. */
  get facts(): SessionFacts {
    return this.#core.facts;
  }
  /** System prompt, environment block and tools: as they were sent, or as they would be sent. */
  prefix = (): Promise<PrefixTexts> => prefixOf(this.#core);
  /** What takes up room in the next request. Sends nothing. */
  contextLedger = (): Promise<ContextLedger> => sessionContextLedger(this.#core);
  /** Reads bytes of an output that did not fit into its result, by artifact number; undefined if there is none. */
  readArtifact(id: number, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array | undefined> {
    return this.#core.artifacts.read(id, range);
  }
  /** Text of the last answer; "" before the first one. */
  lastText(): string {
    const message = this.#core.journal.context.messages.findLast((candidate) => candidate.role === "assistant");
    return message ? textOfContent(message.content) : "";
  }

  events(): SessionEvents {
    return this.#core.events.read();
  }
  /**
   * Resolves with how the input ended, once it and the follow-ups queued behind it have ended or the session is closed.
   * By then readers that keep up have read its last event. Rejects if the input is not accepted: the session is busy or
   * closed, the input is empty, or a hook refused it. With an `outputSchema` (by default the session's), `output` is
   * the answer as data; if no answer fits, the input ends with an error of the kind `output`. `onRecorded`: see
   * `SubmitOptions`.
   */
  submit(content: InputContent, options?: Pick<SubmitOptions, "onRecorded" | "entryId">): Promise<InputOutcome<Output>>;
  submit<const S extends SchemaInput>(
    content: InputContent,
    options: SubmitOptions & { readonly outputSchema: S },
  ): Promise<InputOutcome<InferSchema<S>>>;
  submit(content: InputContent, options?: SubmitOptions): Promise<InputOutcome> {
    return this.#inputs.submit(content, options);
  }
  /** Takes effect with the next input. */
  get outputSchema(): SchemaInput | undefined {
    return this.#inputs.outputSchema;
  }
  set outputSchema(schema: SchemaInput | undefined) {
    this.#inputs.outputSchema = schema;
  }
  /** Finishes the input that an earlier process left, then runs queued follow-ups. Undefined if there was none. */
  continue(): Promise<InputOutcome<Output> | undefined> {
    return this.#inputs.continue() as Promise<InputOutcome<Output> | undefined>;
  }
  /** Runs the first queued message as an input; the others follow it. */
  runQueued(): Promise<InputOutcome> {
    return this.#inputs.runQueued();
  }
  /** Abandons an input that an earlier process left unfinished; open calls are answered as interrupted. */
  abandonUnfinishedInput(): void {
    this.#inputs.abandonUnfinishedInput();
  }

  /**
   * Queues a message for the next drain point of the input, or for the next input. Returns an id for edit and cancel.
   */
  steer(content: InputContent, source?: MessageSource): string {
    return this.#inputs.enqueue("steering", content, source);
  }
  /** Queues a message that runs as an input of its own when the current one has ended. */
  followUp(content: InputContent, source?: MessageSource): string {
    return this.#inputs.enqueue("follow_up", content, source);
  }
  queuedMessages(delivery: Delivery): readonly QueuedMessage[] {
    return this.#core.inbox.list(delivery);
  }
  /** Returns false if the message has already been delivered. */
  editQueued(id: string, content: InputContent): boolean {
    return changeQueued(this.#core, id, "edited", content);
  }
  cancelQueued(id: string): boolean {
    return changeQueued(this.#core, id, "cancelled");
  }

  /** Ends the running input and its agents' work. The session stays usable; reports wait for the next input. */
  async interrupt(): Promise<void> {
    this.#core.inbox.isHeld ||= this.#core.input !== undefined || this.#subagents.directory.running > 0;
    const ended = this.#inputs.interrupt();
    this.#subagents.interruptAll();
    await ended;
  }

  abort(): Promise<void> {
    return this.#inputs.shutDown("aborted");
  }
  async close(): Promise<void> {
    await this.#inputs.shutDown(this.#core.state === "processing" ? "aborted" : "closed");
  }

  /**
   * Answers an approval_request. Returns false if no question about this call is open. `agentId` is that of the event,
   * because calls of two agents may share an id.
   */
  answerApproval(callId: string, answer: ApprovalAnswer, agentId?: string): boolean {
    const isOwn = agentId === undefined || agentId === this.#core.options.agentId;
    if (isOwn && this.#core.approvals.answer(callId, answer)) return true;
    return this.#subagents.answerApproval(callId, answer, agentId);
  }

  /** Adds a hook to the live session. The returned function removes it. */
  use(middleware: Middleware): () => void {
    return this.#core.seams.add(middleware);
  }
  /** Shows all hosts a one-line notice; `code` is for programs. */
  warn = (message: string, code: string): void => this.#core.warn(message, code);
  /** Forces the tool choice of the next request only. */
  forceToolChoice(choice: ToolChoice): void {
    this.#core.nextToolChoice = choice;
  }
  /** Makes the running input end after the calls of the current answer. */
  endInput = (): void => this.#core.endInput();

  registerTool = (tool: SessionTool): void => this.#core.tools.own.register(tool);
  unregisterTool = (name: string): boolean => this.#core.tools.own.unregister(name);
  /** All tools, including those that are offered only after a tool search. */
  knownTools = (): readonly ToolDef[] => this.#core.tools.allTools();
  /** The tool as it is offered now, whichever source it comes from. */
  toolNamed = (name: string): ToolDef | undefined => this.#core.tools.get(name)?.tool;

  /**
   * Switches the model. Prompt and tools follow the new profile from the next request on; the history stays. A `role`
   * other than the default marks a temporary switch that does not replace the user's choice.
   */
  setProfile(profile: Profile, role?: string, reason?: string): void {
    switchProfile(this.#core, profile, role, reason);
  }

  /** Journals model and effort before the first request, for a session that may be left and resumed before that. */
  noteModel = (): void => noteModelAndEffort(this.#core);
  /** Sets how hard the model thinks from the next request on; undefined leaves it to the model. Journalled at once. */
  setEffort(level: string | undefined): void {
    this.config.reasoningEffort = level;
    noteEffort(this.#core);
  }

  /** Records another mode, such as planning, from here on. A host that opens the session later finds it. */
  changeMode(mode: string): void {
    this.#core.append({ type: "mode_change", mode });
  }
  /** Renders prompt, environment block and tools again for the next request. */
  reload(): void {
    this.#core.stalePrefix ??= "instructions";
  }

  /**
   * Continues from an earlier entry. Later entries, even an unfinished input, stay in the journal as another branch.
   */
  moveTo(entryId: string | null): void {
    this.#inputs.mustBeFree();
    this.abandonUnfinishedInput();
    this.#core.journal.setLeaf(entryId);
    leafMoved(this.#core);
  }

  /**
   * Moves to an entry of the tree (null: the start). For a user message, moves to before it and returns its text. Hooks
   * may object. `interrupt` ends the summary and leaves the conversation where it was.
   */
  async navigate(entryId: string | null, options: NavigateOptions = {}): Promise<Navigation> {
    this.#inputs.mustBeFree();
    checkOptions("navigate", options);
    const move = plannedMove(this.#core, entryId, options);
    const { leaf: leafId } = this.#core.journal;
    if (!move) return { leafId };
    const beforeMove = (): void => this.abandonUnfinishedInput();
    const work = (signal: AbortSignal) => navigateTo(this.#core, { move, ...options, beforeMove }, signal);
    const moved = await this.#inputs.maintain(work, ({ cancelled }) => cancelled === undefined);
    return moved ?? { leafId, cancelled: "it was interrupted" };
  }

  /** Labels an entry; without a label, removes the entry's label. A label belongs to one entry only. */
  label(entryId: string, label?: string): TreeEntry {
    checkLabel(this.#core.journal, entryId, label);
    return this.#core.append({ type: "label", targetId: entryId, ...(label === undefined ? {} : { label }) });
  }

  /**
   * A host asks this before it continues in a new session from before this message. Returns the reason if a hook
   * objects.
   */
  mayBranch = (entryId: string) => this.#core.seams.beforeBranch(entryId, abortController().signal);
  /** A host asks this before it replaces this session by another one. Returns the reason if a hook objects. */
  maySwitch = (to: SessionSwitch) => this.#core.seams.beforeSwitch(to, abortController().signal);

  /** Makes room in the context now, or says why it could not. `interrupt` ends it and changes nothing. */
  async compact(plan: CompactionPlan | CompactionDemand): Promise<CompactionOutcome> {
    checkCompaction(plan);
    const interrupted = { problem: "it was interrupted" };
    return (await this.#inputs.maintain((signal) => applyCompaction(this.#core, plan, signal))) ?? interrupted;
  }

  /** Asks a model outside the conversation. The session's costs include it. Undefined if it was interrupted. */
  callModel(role: string, call: SideCall): Promise<SideAnswer | undefined> {
    return this.#inputs.maintain((signal) => sideCall(this.#core, role, call, signal));
  }

  /**
   * Runs work in place of an input. An interrupt ends the work, and the result is then undefined. A question to the
   * user stays open unless the work has moved on from it.
   */
  maintain<T>(
    work: (signal: AbortSignal) => Promise<T>,
    leavesQuestion?: (done: T) => boolean,
  ): Promise<T | undefined> {
    return this.#inputs.maintain(work, leavesQuestion);
  }

  /** Undoes compactions and pruning: everything on this branch is sent again. Returns false if nothing is hidden. */
  restoreHistory(): boolean {
    this.#inputs.mustBeFree();
    return restoreHistory(this.#core);
  }

  /** Stores the state of an extension. The model does not see it. */
  appendCustom(customType: string, data: JsonValue): TreeEntry {
    return this.#core.append(customEntry(customType, data));
  }
  /** Adds text that the model sees as the user's with the next request. */
  appendCustomMessage(customType: string, content: string, options?: { display?: boolean }): TreeEntry {
    return this.#core.append(customMessage(customType, content, options));
  }
  customEntries(customType: string): IterableIterator<CustomEntry> {
    return customEntriesOf(this.#core.journal, customType);
  }
}
