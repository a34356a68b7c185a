// The runs of child agents. Each is an effect of the parent: an intent before it, an outcome entry after it. The budget
// of a run is reserved before it and settled after it.

import { messageOf } from "@lathe/llm";
import type { InputOutcome } from "../../contract/events/types.ts";
import type { AgentReport, AgentState } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import { Admission } from "./admission.ts";
import { type Child, endRun, newRun, reportOf, runningReport, wantedBudget } from "./child.ts";
import type { ChildSessions } from "./child-sessions.ts";
import { isolate, leave } from "./isolation.ts";
import { withKeptOutput } from "./kept-output.ts";
import { park } from "./life.ts";
import type { ParentSession } from "./parent.ts";
import { appendOutcome, NOTHING_SPENT, type RunOutcome, recordStart, type Spent } from "./records.ts";
import { resultOf } from "./result.ts";
import { resultText } from "./result-text.ts";
import { runChild } from "./run-child.ts";
import { mustStart } from "./starts.ts";

/** What a run starts with. */
export interface Start {
  /** Absent if a person sent it. */
  readonly callId?: string | undefined;
  /** Undefined if waiting messages start the run. */
  readonly content: string | undefined;
  /** Its share of the remaining budget; see `Ledger.reserve`. */
  readonly parts?: number;
  /** Aborts the start; see `Starts`. */
  readonly signal: AbortSignal;
}

/** What the runs need from the manager. */
interface RunParts {
  readonly sessions: ChildSessions;
  readonly children: ReadonlyMap<string, Child>;
  /** Adds the child to those of the session. */
  addChild(child: Child): void;
  /** Called when a run of the child has ended and is recorded. */
  onRunEnded(child: Child): void;
  /** Children that end after this are left as they are. */
  isClosed(): boolean;
}

export class ChildRuns {
  readonly #parent: ParentSession;
  readonly #parts: RunParts;
  readonly #admission: Admission;

  constructor(parent: ParentSession, parts: RunParts) {
    this.#parent = parent;
    this.#parts = parts;
    this.#admission = new Admission(parent);
  }

  async start(child: Child, start: Start): Promise<void> {
    try {
      await this.#begin(child, start);
    } catch (error) {
      await leave(child, this.#parent);
      throw error;
    }
  }

  async #begin(child: Child, { callId, content: given, parts, signal: start }: Start): Promise<void> {
    const parent = this.#parent;
    const { header, maxTurns } = child.facts;
    const { agentId } = header;
    mustStart(agentId, start);
    const content = [child.unread, given].filter((text) => text !== undefined).join("\n\n") || undefined;
    const wanted = wantedBudget(parent.options.budget, child.type?.budget, maxTurns);
    const share = parent.ledger.reserve(agentId, parent.budget, parent.elapsedMs(), wanted, parts);
    if (!share) throw new ToolFailure("There is no budget left for a child agent. Do the work yourself or finish.");
    child.idleTimer?.cancel();
    const run = newRun(parent.deps.now());
    if (child.facts.isIsolated && !child.isolation) await isolate(child, start, this.#parent);
    const admitted = this.#admission.enter(child, run);
    // If the child starts at once, a journal that cannot be opened is reported here.
    if (!admitted) this.#openOrGiveUp(child);
    // From here on the child counts as running: further messages steer it, and closing the parent closes it.
    this.#parts.addChild(child);
    // Messages of other agents can wake the child too, but then no caller waits for the result.
    if (given !== undefined) parent.releaseReports();
    child.run = run;
    // The check of a race is not recorded, so a racer cannot be resumed later.
    child.unread = child.race ? undefined : content;
    child.state = "running";
    child.report = runningReport(child.facts);
    let finish = (_report: AgentReport): void => {};
    child.done = new Promise((resolve) => {
      finish = resolve;
    });
    try {
      const called = callId === undefined ? {} : { callId };
      const intent = await parent.journal.intent({ effect: "child", ...called, replay: "never" });
      const profile = this.#parts.sessions.profile(child.facts.model);
      const answeredBy = `${profile.provider ?? profile.id}/${profile.model}`;
      recordStart(parent, intent, child.facts, { answeredBy, input: child.unread });
      this.#parent.directory.noteChange(child);
      const { signal } = run.controller;
      const among = {
        parent,
        sessions: this.#parts.sessions,
        admission: this.#admission,
        children: this.#parts.children,
      };
      void runChild(child, { content, admitted, share, signal }, among).then(({ ended, spent }) =>
        this.#finish(child, intent.for, ended, spent).then(finish),
      );
    } catch (error) {
      child.run = undefined;
      child.state = "idle";
      child.report = { ...child.report, status: "failed", output: messageOf(error) };
      this.#parent.directory.noteChange(child);
      finish(reportOf(child));
      throw error;
    }
  }

  #openOrGiveUp(child: Child): void {
    const { agentId } = child.facts.header;
    try {
      child.session ??= this.#parts.sessions.open(child);
    } catch (error) {
      this.#admission.leave();
      this.#parent.ledger.settle(agentId, NOTHING_SPENT);
      throw new ToolFailure(`The agent ${agentId} cannot be started: ${messageOf(error)}`);
    }
  }

  async #finish(child: Child, outcomeId: string, ended: InputOutcome | string, spent: Spent): Promise<AgentReport> {
    const run = child.run!;
    const result = await resultOf(child, ended);
    const isReported = child.facts.isReported && run.waiters === 0;
    const outcome: RunOutcome = {
      agentId: child.facts.header.agentId,
      turnsUsed: spent.turns,
      durationMs: this.#parent.deps.now() - run.startedAt,
      ...result,
      ...(run.isAborted ? { isAborted: true } : child.unread === undefined ? {} : { isUnread: true }),
      ...(isReported ? { report: this.#parent.journal.newId() } : {}),
    };
    this.settle(child, outcomeId, outcome, spent);
    await leave(child, this.#parent, outcome.report);
    if (child.session && child.facts.isIsolated) this.#park(child);
    else if (child.session) this.idle(child);
    this.report(child, outcome, true);
    this.#parts.onRunEnded(child);
    return reportOf(child);
  }

  /** Records the end of a run in the child, the parent's ledger and the journal. */
  settle(child: Child, outcomeId: string, ended: RunOutcome, spent: Spent): void {
    const parent = this.#parent;
    const outcome = withKeptOutput(parent, ended);
    const { isAborted = false, isUnread: _kept, report: _message, ...shown } = outcome;
    endRun(child, shown, { outcomeId, isAborted, spent, now: parent.deps.now() });
    parent.ledger.settle(outcome.agentId, spent);
    parent.accountInput(spent.usage, spent.cost);
    try {
      appendOutcome(parent, outcomeId, outcome, spent);
    } catch (error) {
      // A caller that waits for the child still gets its report; the session's own next write will fail and end it.
      parent.warn(`the end of agent ${outcome.agentId} was not recorded: ${messageOf(error)}`);
    }
    this.#parent.directory.noteChange(child);
  }

  /** Tells the parent exactly once, even if its process ends before it could be told. */
  report(child: Child, { report }: RunOutcome, wakes: boolean): void {
    if (report === undefined) return;
    const { agentId } = child.facts.header;
    this.#parent.report(resultText(reportOf(child)), { kind: "agent", id: agentId }, wakes, report);
  }

  idle(child: Child): void {
    const { options, deps } = this.#parent;
    const idleMs = options.limits?.().idleMs ?? 0;
    // Without a journal, the child could not be revived.
    if (idleMs <= 0 || !options.journal || child.state !== "idle" || this.#parts.isClosed()) return;
    child.idleTimer = deps.setTimer(() => this.#park(child), idleMs);
  }

  #park(child: Child): void {
    park(child, this.#parent.journal);
    this.#parent.directory.noteChange(child);
  }

  setState(child: Child, state: AgentState): void {
    child.state = state;
    this.#parent.directory.noteChange(child);
  }
}
