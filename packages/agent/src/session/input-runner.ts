// Runs the inputs of a session one after another: begins them, continues one that an earlier process left, waits for
// running work, and ends the session. Only this class knows whether the session is free.

import { addUsage, type SchemaInput, SDKError } from "@lathe/llm";
import { NO_USAGE } from "../base/budget/ledger.ts";
import { makePending } from "../base/time/pending.ts";
import type { InputContent, InputOutcome, MessageSource } from "../contract/events/types.ts";
import { SessionError } from "../contract/session-error.ts";
import { wasQueued } from "../record/journal/queue-lines.ts";
import type { WholeSession } from "./facades.ts";
import { failureOf } from "./failure.ts";
import { checkSubmitOptions } from "./host-arguments.ts";
import { type Delivery, isReport } from "./inbox.ts";
import { beginInput, continueInput, endInput, endOf, InputInterrupted, runInput, SessionAborted } from "./input.ts";
import type { InputRun } from "./input-run.ts";
import { hasFiles, readQueued, withFiles } from "./media.ts";
import { InputRefused, NOTHING_DONE, outcomeOf, refuseKnown, refuseUnusable } from "./outcome.ts";
import { OutputCheck } from "./output/output-check.ts";
import { enqueue } from "./queue.ts";
import { readersCatchUp } from "./readers.ts";
import { abandonUnfinishedInput, type UnfinishedInput } from "./recovery.ts";
import { shutDown } from "./shutdown.ts";
import type { SubmitOptions } from "./types.ts";

export class InputRunner {
  readonly #core: WholeSession;
  /** Ends the children and the work beside the conversation. */
  readonly #closeOthers: () => Promise<unknown>;
  /** The input that an earlier process left unfinished. */
  unfinished: UnfinishedInput | undefined;
  /** The schema that answers must fit, unless an input has its own. */
  outputSchema: SchemaInput | undefined;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(core: WholeSession, closeOthers: () => Promise<unknown>) {
    this.#core = core;
    this.#closeOthers = closeOthers;
    this.outputSchema = core.options.outputSchema;
  }

  async submit(content: InputContent, options: SubmitOptions = {}): Promise<InputOutcome> {
    this.mustBeFree();
    checkSubmitOptions(options);
    refuseUnusable(content);
    const { outputSchema: schema = this.outputSchema } = options;
    refuseKnown(this.#core.journal, options.entryId);
    const output = schema && (await this.#outputCheck(schema));
    return this.#track((run) => this.#submit(Object.assign(run, { output }), content, options));
  }

  async continue(): Promise<InputOutcome | undefined> {
    this.mustBeFree();
    if (!this.unfinished && this.#core.inbox.count("follow_up") === 0) return undefined;
    const output = this.outputSchema && (await this.#outputCheck(this.outputSchema));
    return this.#track((run) => this.#continue(Object.assign(run, { output })));
  }

  async #outputCheck(schema: SchemaInput): Promise<OutputCheck> {
    const check = await OutputCheck.for(schema);
    // Another input may have begun in the meantime.
    this.mustBeFree();
    return check;
  }

  async runQueued(): Promise<InputOutcome> {
    this.mustBeFree();
    this.abandonUnfinishedInput();
    return this.#track(async (run) => this.#runAll(await this.#beginQueued(run, "steering")));
  }

  abandonUnfinishedInput(): void {
    if (this.unfinished) abandonUnfinishedInput(this.#core, this.unfinished);
    this.unfinished = undefined;
  }

  enqueue(delivery: Delivery, content: InputContent, source: MessageSource | undefined, id?: string): string {
    if (this.#closing || this.#core.state === "closed") throw new SessionError("closed", "session is closed");
    return enqueue(this.#core, delivery, content, source, id);
  }

  /** Takes a report of a job or an agent. A report with an id is taken only once. `wakes`: it may begin an input. */
  deliver(content: string, source: MessageSource, wakes: boolean, id?: string): void {
    const { journal } = this.#core;
    if (id !== undefined && (this.#closing || journal.has(id) || wasQueued(journal, id))) return;
    this.enqueue("steering", content, source, id);
    if (wakes) this.runReports();
  }

  /**
   * Begins an input with the reports that jobs made while nothing ran. A question to the user or unfinished work comes
   * first.
   */
  runReports(): void {
    const { config, state, inbox } = this.#core;
    if (config.jobReports !== "run" || state !== "idle" || this.#closing || this.unfinished || inbox.isHeld) return;
    if (inbox.list("steering").some(isReport)) void this.runQueued();
  }

  /**
   * Runs work in place of an input. An interrupt ends the work, and the result is then undefined. A question to the
   * user stays open unless `leavesQuestion` says that the work has moved on from it.
   */
  async maintain<T>(
    work: (signal: AbortSignal) => Promise<T>,
    leavesQuestion: (done: T) => boolean = () => false,
  ): Promise<T | undefined> {
    this.mustBeFree();
    const core = this.#core;
    const isAwaiting = core.state === "awaiting_input";
    const { signal } = core.startRun();
    const { promise: running, settle } = makePending();
    this.#running = running;
    let done: T | undefined;
    try {
      done = await work(signal);
      return done;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      core.input = undefined;
      const staysOpen = isAwaiting && (done === undefined || !leavesQuestion(done));
      if (core.state === "processing") core.setState(staysOpen ? "awaiting_input" : "idle");
      if (this.#running === running) this.#running = undefined;
      settle();
      this.runReports();
    }
  }

  /** Ends the running input. Resolves when it has ended. */
  async interrupt(): Promise<void> {
    this.#core.input?.controller.abort(new InputInterrupted("interrupted"));
    await this.#running;
  }

  shutDown(reason: "closed" | "aborted" | "error", error?: string): Promise<void> {
    this.#closing ??= shutDown(this.#core, {
      reason,
      ...(error === undefined ? {} : { error }),
      stopInput: () => this.#core.input?.controller.abort(new SessionAborted("the session was ended")),
      runningInput: () => this.#running,
      closeChildren: async () => void (await this.#closeOthers()),
    });
    return this.#closing;
  }

  isFree(): boolean {
    return !this.#closing && (this.#core.state === "idle" || this.#core.state === "awaiting_input");
  }
  mustBeFree(): void {
    if (this.isFree()) return;
    const isBusy = !this.#closing && this.#core.state === "processing";
    throw isBusy ? new SessionError("busy", "session is busy") : new SessionError("closed", "session is closed");
  }

  async #submit(run: InputRun, content: InputContent, { onRecorded, entryId }: SubmitOptions): Promise<InputOutcome> {
    const core = this.#core;
    const verdict = await core.seams
      .onInput(content, run.signal)
      .then(async (admitted) => {
        if ("reject" in admitted || !hasFiles(admitted.content)) return admitted;
        return { content: await withFiles(core, admitted.content) };
      })
      .catch((error: unknown) => {
        if (run.signal.aborted) return { reject: "the input was interrupted" };
        if (error instanceof SDKError) return { reject: error.message };
        throw error;
      });
    if ("reject" in verdict) {
      core.input = undefined;
      core.setState("idle");
      throw new InputRefused(verdict.reject);
    }
    this.abandonUnfinishedInput();
    beginInput(
      core,
      run,
      [{ id: entryId ?? core.journal.newId(), content: run.output?.addTo(verdict.content) ?? verdict.content }],
      "input",
    );
    onRecorded?.();
    return this.#runAll(run);
  }
  async #continue(run: InputRun): Promise<InputOutcome> {
    const unfinished = this.unfinished;
    this.unfinished = undefined;
    if (!unfinished) return this.#runAll(await this.#beginQueued(run, "follow_up"));
    continueInput(this.#core, run, unfinished.entry, unfinished.rounds);
    return this.#runAll(run, unfinished);
  }

  async #runAll(first: InputRun, unfinished?: UnfinishedInput): Promise<InputOutcome> {
    const core = this.#core;
    let run = first;
    let left = unfinished;
    let usage = NO_USAGE;
    let cost = 0;
    for (;;) {
      const end = run.signal.aborted ? endOf(run) : await runInput(core, run, left);
      const next = await endInput(core, run, end);
      usage = addUsage(usage, run.usage);
      cost += run.cost;
      if (!next || this.#closing) return outcomeOf(run, end, { usage, cost });
      const output = run.output?.again();
      run = await this.#beginQueued(Object.assign(core.startRun(), { output }), next);
      left = undefined;
    }
  }

  /** Steering that arrived late becomes an ordinary input. */
  async #beginQueued(run: InputRun, delivery: Delivery): Promise<InputRun> {
    const { inbox, config } = this.#core;
    const mode = delivery === "follow_up" ? config.followUpMode : "one-at-a-time";
    const taken = readQueued(this.#core, inbox.take(delivery, mode));
    const origin = delivery === "follow_up" ? "follow_up" : "input";
    beginInput(this.#core, run, taken instanceof Promise ? await taken : taken, origin);
    return run;
  }

  /** A failure here cannot be sent to the model: it is an unwritable journal or a bug, and it ends the session. */
  async #track(work: (run: InputRun) => Promise<InputOutcome>): Promise<InputOutcome> {
    this.#core.inbox.isHeld = false;
    const firstEvent = this.#core.events.seq + 1;
    const { promise: running, settle } = makePending();
    // Set before anything is announced: a host that ends the session at the first event must wait for this input too.
    this.#running = running;
    let outcome: InputOutcome;
    let broken: string | undefined;
    try {
      outcome = await work(this.#core.startRun());
    } catch (error) {
      if (this.#core.state !== "processing") throw error;
      const failure = failureOf(error);
      const { message, kind, type } = failure;
      broken = message;
      outcome = { ...NOTHING_DONE, reason: "error", error: failure };
      this.#core.emit("error", { message, kind, error_type: type, fatal: true });
    } finally {
      // A host that reacts to the end may already have started the next input.
      if (this.#running === running) this.#running = undefined;
      settle();
    }
    if (broken !== undefined) void this.shutDown("error", broken);
    await this.#closing;
    await readersCatchUp(this.#core, firstEvent);
    return outcome;
  }
}
