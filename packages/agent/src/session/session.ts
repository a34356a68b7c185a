// The object a host holds. It only decides who may do what when; the work is in the modules beside it.

import { type JsonValue, SDKError, type ToolChoice } from "@lathe/llm";
import type { Amounts } from "../budget/ledger.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { InputContent, SessionEvent, SessionState } from "../events/types.ts";
import type { Journal } from "../journal/journal.ts";
import type { CustomEntry, TreeEntry } from "../journal/types.ts";
import type { PrefixTexts } from "../prefix/prefix.ts";
import type { Profile } from "../profiles/types.ts";
import type { CustomTool } from "../registry/registry.ts";
import { messageOf } from "../seams/run.ts";
import type { SchemeRegistry } from "../seams/schemes.ts";
import type { CompactionPlan } from "../seams/types.ts";
import { Subagents } from "../subagents/manager.ts";
import type { SessionFacts } from "../tools/session-state.ts";
import type { ToolDef } from "../tools/types.ts";
import type { ApprovalAnswer } from "./approvals.ts";
import { applyCompaction } from "./compaction.ts";
import type { SessionConfig } from "./config.ts";
import { type InputRun, SessionCore } from "./core.ts";
import { beginInput, continueInput, endInput, endOf, InputInterrupted, runInput, SessionAborted } from "./input.ts";
import { hasFiles, readQueued, withFiles } from "./media.ts";
import { errorType } from "./model-call.ts";
import type { QueuedMessage, QueueName } from "./queues.ts";
import { abandonCut, type CutInput, journalQueued, recover } from "./recovery.ts";
import { prefixOf } from "./request.ts";
import { shutDown } from "./shutdown.ts";
import { turnsOf } from "./turns.ts";
import { type ModelClient, type SessionOptions, type Turn, textOfContent } from "./types.ts";

export class Session {
  readonly #core: SessionCore;
  readonly #subagents: Subagents;
  #cut: CutInput | undefined;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    const core = new SessionCore(options);
    this.#core = core;
    this.#subagents = new Subagents(core, (childOptions) => new Session(childOptions));
    if (this.#subagents.enabled) Object.assign(core.services, { subagents: this.#subagents });
    core.tools.setProfile(core.profile);
    core.emit("session_start", {
      profile: core.profile.id,
      model: core.profile.model,
      cwd: options.env.workingDirectory(),
      resumed: core.resumed,
    });
    for (const loss of core.journal.losses) core.warn(loss.message, `journal_${loss.kind}`);
    if (!core.resumed) return;
    this.#cut = recover(core);
    this.#subagents.recover();
  }

  /** Opens a journal and, when asked to, finishes what a cut run left. */
  static resume(options: SessionOptions & { readonly journal: Journal; readonly continue?: boolean }): Session {
    const session = new Session(options);
    // Later, so that readers opened now see it from the start. By then the host may have ended or used it.
    if (options.continue) queueMicrotask(() => void (session.#isFree() && session.continue()));
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
  /** Assign to its fields at any time; it counts from the next call. */
  get config(): SessionConfig {
    return this.#core.config;
  }
  get depth(): number {
    return this.#core.options.depth ?? 0;
  }
  get subagents(): Subagents {
    return this.#subagents;
  }
  /** Reads the journal; not for hot paths. */
  get history(): Turn[] {
    return turnsOf(this.#core.journal);
  }
  get usage(): { readonly usage: SessionCore["ledger"]["usage"]; readonly cost: number; readonly turns: number } {
    const { ledger, turns } = this.#core;
    return { usage: ledger.usage, cost: ledger.cost, turns };
  }
  /** Of the whole session, its children included. */
  get spent(): Amounts {
    return this.#core.ledger.spent;
  }
  /** True when an earlier process was cut in the middle of an input; see `continue`. */
  get wasCut(): boolean {
    return this.#cut !== undefined;
  }

  /** Tokens of the next request as far as they are known. */
  get contextTokens(): number {
    return this.#core.meter.tokens();
  }
  /** Addresses that read and write faces resolve; a host may add and remove its own. */
  get schemes(): SchemeRegistry {
    return this.#core.schemes;
  }
  /** What tools keep between calls on this branch, such as the todo list. */
  get facts(): SessionFacts {
    return this.#core.facts;
  }

  /** System prompt, environment block and tools: as they were sent, or as they would be. */
  prefix(): Promise<PrefixTexts> {
    return prefixOf(this.#core);
  }

  /** Text of the last answer; "" before the first. */
  lastText(): string {
    const message = this.#core.journal.context.messages.findLast((candidate) => candidate.role === "assistant");
    return message ? textOfContent(message.content) : "";
  }

  events(): AsyncIterable<SessionEvent> & AsyncIterator<SessionEvent> {
    return this.#core.events.read();
  }

  /** Resolves when this input, and the follow-ups queued behind it, have ended or the session is closed. */
  async submit(content: InputContent): Promise<void> {
    this.#mustBeFree();
    await this.#track((run) => this.#submit(run, content));
  }

  /**
   * Like submit, but steering that comes with the last words of an answer, when no further request takes it, is the next
   * input instead of waiting for one.
   */
  async submitWithLate(content: InputContent): Promise<void> {
    await this.submit(content);
    const { journal, steering } = this.#core;
    // A question to the user is not answered by what was said before it.
    while (this.#isFree() && this.state === "idle" && steering.length > 0 && journal.input?.reason === "completed") {
      await this.#track(async (run) => {
        const taken = readQueued(this.#core, steering.take("one-at-a-time"));
        beginInput(this.#core, run, taken instanceof Promise ? await taken : taken, "input");
        await this.#runAll(run);
      });
    }
  }

  /** Finishes a cut input, then runs queued follow-ups. Resolves at once when there is nothing to do. */
  async continue(): Promise<void> {
    this.#mustBeFree();
    if (!this.#cut && this.#core.followUps.length === 0) return;
    await this.#track((run) => this.#continue(run));
  }

  /** Gives up an input that an earlier process left unfinished; open calls are answered as interrupted. */
  abandonCut(): void {
    if (this.#cut) abandonCut(this.#core, this.#cut);
    this.#cut = undefined;
  }

  /** Waits for the next drain point of the running input, or for the next input. Returns an id for edit and cancel. */
  steer(content: InputContent): string {
    return this.#enqueue("steering", content);
  }

  /** Runs as an input of its own when the present one has ended. */
  followUp(content: InputContent): string {
    return this.#enqueue("follow_up", content);
  }

  queued(queue: QueueName): readonly QueuedMessage[] {
    return this.#queue(queue).list();
  }

  /** False when the message has been delivered already. */
  editQueued(id: string, content: InputContent): boolean {
    return this.#changeQueued(id, "edited", content);
  }
  cancelQueued(id: string): boolean {
    return this.#changeQueued(id, "cancelled");
  }

  /** Ends the running input; the session stays usable. */
  async interrupt(): Promise<void> {
    this.#core.input?.controller.abort(new InputInterrupted("interrupted"));
    this.#subagents.interruptAll();
    await this.#running;
  }

  async abort(): Promise<void> {
    await this.#shutDown("aborted");
  }
  async close(): Promise<void> {
    await this.#shutDown(this.#core.state === "processing" ? "aborted" : "closed");
  }

  /** Answers an approval_request; false when nobody asked. `agentId` is the event's: calls of two agents may share an id. */
  answerApproval(callId: string, answer: ApprovalAnswer, agentId?: string): boolean {
    const isOwn = agentId === undefined || agentId === this.#core.options.agentId;
    if (isOwn && this.#core.approvals.answer(callId, answer)) return true;
    return this.#subagents.answerApproval(callId, answer, agentId);
  }

  /** Tells all hosts of something in one line; `code` is for programs. */
  warn(message: string, code: string): void {
    this.#core.warn(message, code);
  }

  /** Forces the tool choice of the next request only. */
  forceToolChoice(choice: ToolChoice): void {
    this.#core.nextToolChoice = choice;
  }

  registerTool(tool: ToolDef | CustomTool): void {
    this.#core.tools.own.register(tool);
  }
  unregisterTool(name: string): boolean {
    return this.#core.tools.own.unregister(name);
  }

  /**
   * Switches the model; prompt and tools follow the new profile from the next request on, history stays. A `role` other
   * than the default's marks a switch that the user's choice outlives.
   */
  setProfile(profile: Profile, role?: string): void {
    const core = this.#core;
    core.profile = profile;
    core.tools.setProfile(profile);
    core.stalePrefix = "model";
    const model = `${profile.provider ?? profile.id}/${profile.model}`;
    core.append({ type: "model_change", model, ...(role === undefined ? {} : { role }) });
  }

  /** Renders prompt, environment block and tools anew for the next request. */
  reload(): void {
    this.#core.stalePrefix ??= "instructions";
  }

  /** Goes on from an earlier entry; what came after it, a cut input too, stays in the journal as another branch. */
  moveTo(entryId: string | null): void {
    this.#mustBeFree();
    this.abandonCut();
    this.#core.journal.setLeaf(entryId);
    this.#core.meter.reset();
    this.#core.facts.forget();
    this.#core.guard.expect("branch");
  }

  async compact(plan: CompactionPlan): Promise<boolean> {
    this.#mustBeFree();
    return applyCompaction(this.#core, plan, new AbortController().signal);
  }

  /** State of an extension; the model does not see it. */
  appendCustom(customType: string, data: JsonValue): TreeEntry {
    return this.#core.append({ type: "custom", customType, data });
  }
  /** Text that the model sees as the user's with the next request. */
  appendCustomMessage(customType: string, content: string, options: { display?: boolean } = {}): TreeEntry {
    const display = options.display ?? true;
    return this.#core.append({ type: "custom_message", customType, content, display, attribution: "agent" });
  }
  *customEntries(customType: string): IterableIterator<CustomEntry> {
    const { journal } = this.#core;
    for (const id of journal.entryIds()) {
      if (journal.meta(id)?.type !== "custom") continue;
      const entry = journal.entry(id) as CustomEntry;
      if (entry.customType === customType) yield entry;
    }
  }

  // ---- inside ----

  async #submit(run: InputRun, content: InputContent): Promise<void> {
    const core = this.#core;
    const verdict = await core.seams
      .onInput(content, run.signal)
      .then(async (given) => {
        if ("reject" in given || !hasFiles(given.content)) return given;
        return { content: await withFiles(core, given.content) };
      })
      .catch((error: unknown) => {
        if (run.signal.aborted) return { reject: "the input was interrupted" };
        if (error instanceof SDKError) return { reject: error.message };
        throw error;
      });
    if ("reject" in verdict) {
      core.input = undefined;
      core.setState("idle");
      throw new Error(verdict.reject);
    }
    this.abandonCut();
    beginInput(core, run, [{ id: core.journal.newId(), content: verdict.content }], "input");
    await this.#runAll(run);
  }

  async #continue(run: InputRun): Promise<void> {
    const cut = this.#cut;
    this.#cut = undefined;
    if (!cut) return this.#runAll(await this.#beginFollowUp(run));
    continueInput(this.#core, run, cut.entry, cut.rounds);
    await this.#runAll(run, cut);
  }

  async #runAll(first: InputRun, cut?: CutInput): Promise<void> {
    const core = this.#core;
    let run = first;
    let left = cut;
    for (;;) {
      const end = run.signal.aborted ? endOf(run) : await runInput(core, run, left);
      const { goOn } = await endInput(core, run, end);
      if (!goOn) return;
      run = await this.#beginFollowUp(core.startRun());
      left = undefined;
    }
  }

  async #beginFollowUp(run: InputRun): Promise<InputRun> {
    const taken = readQueued(this.#core, this.#core.followUps.take(this.#core.config.followUpMode));
    beginInput(this.#core, run, taken instanceof Promise ? await taken : taken, "follow_up");
    return run;
  }

  /** What breaks here cannot be told to the model: an unwritable journal, a bug. It ends the session. */
  async #track(work: (run: InputRun) => Promise<void>): Promise<void> {
    let settle = (): void => {};
    const running = new Promise<void>((resolve) => {
      settle = resolve;
    });
    // Before anything is announced: a host that ends the session at the first event has to wait for this input, too.
    this.#running = running;
    let broken: string | undefined;
    try {
      await work(this.#core.startRun());
    } catch (error) {
      if (this.#core.state !== "processing") throw error;
      broken = messageOf(error);
      this.#core.emit("error", { message: broken, error_type: errorType(error), fatal: true });
    } finally {
      // A host that hears of the end may have given the next input already.
      if (this.#running === running) this.#running = undefined;
      settle();
    }
    if (broken !== undefined) void this.#shutDown("error", broken);
    await this.#closing;
  }

  #shutDown(reason: "closed" | "aborted" | "error", error?: string): Promise<void> {
    this.#closing ??= shutDown(this.#core, {
      reason,
      ...(error === undefined ? {} : { error }),
      stopInput: () => this.#core.input?.controller.abort(new SessionAborted("the session was ended")),
      running: () => this.#running,
      closeChildren: () => this.#subagents.closeAll(),
    });
    return this.#closing;
  }

  #isFree(): boolean {
    return !this.#closing && (this.#core.state === "idle" || this.#core.state === "awaiting_input");
  }

  #mustBeFree(): void {
    if (this.#isFree()) return;
    const isBusy = !this.#closing && this.#core.state === "processing";
    throw new Error(isBusy ? "session is busy" : "session is closed");
  }

  #enqueue(queue: QueueName, content: InputContent): string {
    if (this.#closing || this.#core.state === "closed") throw new Error("session is closed");
    const id = this.#core.journal.newId();
    this.#queue(queue).add({ id, content });
    journalQueued(this.#core, queue, "added", id, content);
    return id;
  }

  #changeQueued(id: string, change: "edited" | "cancelled", content?: InputContent): boolean {
    for (const name of ["steering", "follow_up"] as const) {
      const queue = this.#queue(name);
      const done = content === undefined ? queue.cancel(id) : queue.edit(id, content);
      if (!done) continue;
      journalQueued(this.#core, name, change, id, content);
      return true;
    }
    return false;
  }

  #queue(name: QueueName): SessionCore["steering"] {
    return name === "steering" ? this.#core.steering : this.#core.followUps;
  }
}
