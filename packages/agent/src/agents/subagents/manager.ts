// The child agents of one session: each has its own session and journal, shares the environment, and lives within the
// parent's budget. A child's run is an effect of the parent: an intent before it, an outcome entry after it.

import { messageOf } from "@lathe/llm";
import { sentence } from "../../base/text/sentence.ts";
import type { ApprovalAnswer } from "../../contract/approval.ts";
import type { AgentReport, BatchReport, BatchRequest, SpawnRequest } from "../../contract/subagents.ts";
import { ToolFailure } from "../../contract/tool.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import { type Child, rememberedChild, reportOf, waitFor } from "./child.ts";
import { ChildMail, mustBeAtWork, mustTakeMessages } from "./child-mail.ts";
import { ChildRuns, type Start } from "./child-runs.ts";
import { ChildSessions } from "./child-sessions.ts";
import { cutCallText } from "./cut-call.ts";
import { defineChild } from "./define-child.ts";
import { type AgentOwner, type Directory, unknownAgent } from "./directory.ts";
import { assignmentText, batchContext } from "./instructions.ts";
import { placeOfHost, worksApart } from "./isolation.ts";
import { readJournal } from "./life.ts";
import { Names, nameProblem } from "./names.ts";
import type { ParentSession } from "./parent.ts";
import { cutRun } from "./past.ts";
import { checkBatch, mustSayWhat, permitPlain, permittedType } from "./policy.ts";
import { raceChildren } from "./race.ts";
import { knownAgents } from "./records.ts";
import { resultText } from "./result-text.ts";
import { stop } from "./run-limits.ts";
import { SharedStart } from "./shared-start.ts";
import { mustStart, Starts } from "./starts.ts";
import type { AgentType, HostBatch, HostSubagents } from "./types.ts";
import { workingDirOf } from "./working-dir.ts";

/** What all tasks of a batch share. */
interface BatchStart {
  readonly type: AgentType;
  readonly isReported: boolean;
  readonly env?: ExecutionEnvironment | undefined;
  readonly signal: AbortSignal;
}

/** The modules that work on the children. */
interface ChildParts {
  readonly sessions: ChildSessions;
  readonly mail: ChildMail;
  readonly runs: ChildRuns;
  readonly names: Names;
}

export class Subagents implements HostSubagents, AgentOwner {
  readonly #parent: ParentSession;
  readonly #children = new Map<string, Child>();
  readonly #starts = new Starts();
  #made: ChildParts | undefined;

  constructor(parent: ParentSession) {
    this.#parent = parent;
  }

  get agentId(): string | undefined {
    return this.#parent.agentId;
  }

  /** Children that end after this are left as they are: no timers, no further work. */
  get isClosed(): boolean {
    return this.#starts.isClosed;
  }

  get directory(): Directory {
    return this.#parent.directory;
  }

  textOf(report: AgentReport): string {
    return resultText(report);
  }

  list(): AgentReport[] {
    return [...this.#children.values()].map(reportOf);
  }

  spawn(request: SpawnRequest): Promise<AgentReport> {
    return this.#starts.run((signal) => this.#spawn(request, signal));
  }

  async #spawn(request: SpawnRequest, signal: AbortSignal): Promise<AgentReport> {
    mustSayWhat(request.task, "The task");
    const cwd = await workingDirOf(this.#parent.env, request.workingDir);
    const kind = request.agent === undefined ? undefined : await permittedType(this.#parent, request.agent);
    if (!kind) permitPlain(this.#parent);
    const problem = request.id === undefined ? undefined : nameProblem(request.id);
    if (problem !== undefined) throw new ToolFailure(sentence(problem));
    const type = kind && { ...kind, ...(request.schema ? { output: request.schema } : {}) };
    const child = defineChild(this.#parent, this.#parts.sessions, type, undefined, {
      agentId: this.#parts.names.give(request.id),
      cwd,
      isReported: false,
      isIsolated: type !== undefined && worksApart(this.#parent, type, {}),
      callId: request.callId,
      task: request.task,
      ...(request.model === undefined ? {} : { model: request.model }),
      ...(request.maxTurns === undefined ? {} : { maxTurns: request.maxTurns }),
    });
    await this.#parts.runs.start(child, { callId: request.callId, content: request.task, signal });
    return reportOf(child);
  }

  spawnBatch(request: BatchRequest): Promise<BatchReport> {
    return this.#starts.run(async (signal) => {
      checkBatch(request);
      const type = await permittedType(this.#parent, request.agent);
      const isReported = this.#parent.takesReports && type.blocking !== true;
      return this.#startBatch(request, { type, isReported, signal });
    });
  }

  spawnForHost(request: HostBatch): Promise<BatchReport> {
    return this.#starts.run(async (signal) => {
      checkBatch(request);
      const type = request.narrow(await permittedType(this.#parent, request.agent));
      return this.#startBatch(request, { type, isReported: false, env: request.env, signal });
    });
  }

  async #startBatch(request: BatchRequest, { type, isReported, env, signal }: BatchStart): Promise<BatchReport> {
    const { callId } = request;
    const { tasks, race } = raceChildren(request, type);
    const agentIds = tasks.map(({ id }) => this.#parts.names.give(id));
    const roster = this.#parent.exchange?.roster();
    const shared = new SharedStart(batchContext(request.context, agentIds, roster));
    const started: AgentReport[] = [];
    const failed: { agentId: string; why: string }[] = [];
    for (const [index, task] of tasks.entries()) {
      const agentId = agentIds[index] as string;
      try {
        const child = defineChild(this.#parent, this.#parts.sessions, type, shared, {
          agentId,
          cwd: (env ?? this.#parent.env).workingDirectory(),
          isReported,
          isIsolated: env !== undefined || worksApart(this.#parent, type, task),
          callId,
          task: task.assignment,
          description: task.description,
        });
        if (env) child.isolation = placeOfHost(env);
        child.race = race;
        race?.join(agentId, (why) => stop(child, why));
        // Started one after another: the others wait for the first, and each share is taken from what is left.
        const content = assignmentText(agentId, task);
        await this.#parts.runs.start(child, { callId, content, parts: tasks.length - index + 1, signal });
        started.push(reportOf(child));
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        shared.endChild(agentId);
        failed.push({ agentId, why: error.message });
      }
    }
    return { started, failed, isReported };
  }

  /** Steers a running child; one that has ended gets a new input. */
  send(agentId: string, message: string, callId?: string): Promise<AgentReport> {
    return this.#starts.run((signal) => this.#send({ callId, content: message, signal }, agentId));
  }

  async #send(start: Start & { readonly content: string }, agentId: string): Promise<AgentReport> {
    const child = this.#child(agentId);
    mustTakeMessages(child);
    if (child.report.status === "running") {
      if (!child.session) throw new ToolFailure(`The agent ${agentId} waits for its turn. Send it messages later.`);
      child.session.steer(start.content);
      return reportOf(child);
    }
    const lookup = this.#lookUp(child);
    // Another caller may have woken it in the meantime.
    if (lookup) return lookup.then(() => this.#send(start, agentId));
    await this.#parts.runs.start(child, start);
    return reportOf(child);
  }

  async wait(agentId: string, signal: AbortSignal): Promise<AgentReport> {
    return waitFor(this.#child(agentId), signal, this.#parent);
  }

  /** Stops the current input; a message wakes the child again. */
  async stop(agentId: string, why: string): Promise<AgentReport> {
    const child = this.#child(agentId);
    stop(child, why);
    return child.done;
  }

  /** Opens its session again, which then waits for a message. */
  revive(agentId: string): Promise<AgentReport> {
    return this.#starts.run((signal) => this.#revive(agentId, signal));
  }

  async #revive(agentId: string, signal: AbortSignal): Promise<AgentReport> {
    const child = this.#child(agentId);
    mustTakeMessages(child);
    await this.#lookUp(child);
    mustStart(agentId, signal);
    if (child.state === "parked" && !child.session) {
      child.session = this.#parts.sessions.open(child);
      this.#parts.runs.setState(child, "idle");
      this.#parts.runs.idle(child);
    }
    return reportOf(child);
  }

  /** Ends a working child for good; parks one that has ended. */
  async close(agentId: string): Promise<AgentReport> {
    const child = this.#child(agentId);
    if (child.run) {
      child.run.isAborted = true;
      child.run.waiters += 1;
    }
    return this.#close(child);
  }

  /** The journal of a child, whether it has a session or not. */
  withJournal<T>(child: Child, read: (journal: Journal) => T): Promise<T> {
    return readJournal(child, this.#parent, read);
  }

  async closeAll(): Promise<void> {
    const started = this.#starts.close();
    if (this.#made) this.#parent.exchange?.leave(this.#made.mail);
    await Promise.all([started, ...[...this.#children.values()].map((child) => this.#close(child))]);
    if (this.agentId === undefined) this.directory.close();
  }

  interruptAll(): void {
    this.#starts.interrupt();
    for (const child of this.#children.values()) {
      child.run?.controller.abort(new Error("it was interrupted"));
      void child.session?.interrupt();
    }
  }

  answerApproval(callId: string, answer: ApprovalAnswer, agentId: string | undefined): boolean {
    return [...this.#children.values()].some((child) => child.session?.answerApproval(callId, answer, agentId));
  }

  /**
   * Recovers the children of an earlier process: ended ones are known again, running ones are settled as interrupted.
   */
  recover(): void {
    const records = knownAgents(this.#parent);
    for (const intent of this.#parent.journal.openIntents()) {
      const begun = records.some((record) => record.intent.for === intent.for);
      if (intent.effect === "child" && !begun) this.#parent.journal.settle(intent.id, "interrupted");
    }
    for (const record of records) {
      const child = rememberedChild(record);
      this.#parts.names.use(record.header.agentId);
      this.#addChild(child);
      const cut = record.outcome ? undefined : cutRun(this.#parent, this.#parts.sessions, child, record);
      if (cut) this.#parts.runs.settle(child, record.intent.for, cut.outcome, cut.lost);
      this.#parts.runs.report(child, record.outcome ?? cut!.outcome, false);
    }
  }

  /** What became of the agents of a call that was cut off; undefined if it started none. */
  leftByCall(callId: string): string | undefined {
    return cutCallText([...this.#children.values()].filter(({ facts }) => facts.header.parentCall === callId));
  }

  // ---- inside ----

  /** Created with the first child, because most sessions have none. */
  get #parts(): ChildParts {
    this.#made ??= this.#makeParts();
    return this.#made;
  }

  #makeParts(): ChildParts {
    const parent = this.#parent;
    const sessions = new ChildSessions(parent);
    const mail = new ChildMail(this.#children, parent, (child, callId) => this.#wake(child, callId));
    parent.exchange?.join(mail);
    const runs = new ChildRuns(parent, {
      sessions,
      children: this.#children,
      addChild: (child) => this.#addChild(child),
      onRunEnded: (child) => this.#wakeIfMailLeft(child),
      isClosed: () => this.isClosed,
    });
    return { sessions, mail, runs, names: new Names(parent.agentId, parent.deps.random) };
  }

  #wake(child: Child, callId: string): Promise<"injected" | "woken" | "revived"> {
    return this.#starts.run((signal) => this.#wakeForMail(child, { callId, content: undefined, signal }));
  }

  /** Wakes a child to read its waiting messages. */
  async #wakeForMail(child: Child, start: Start): Promise<"injected" | "woken" | "revived"> {
    mustTakeMessages(child);
    if (child.run) {
      if (child.session) this.#parent.exchange?.handOver(child.facts.header.agentId, child.session.mailbox);
      return "injected";
    }
    mustBeAtWork(this.#parent, child);
    const how = child.state === "idle" ? "woken" : "revived";
    const lookup = this.#lookUp(child);
    if (lookup) return lookup.then(() => this.#wakeForMail(child, start));
    await this.#parts.runs.start(child, start);
    return how;
  }

  #wakeIfMailLeft(child: Child): void {
    const { exchange } = this.#parent;
    exchange?.noteChange();
    if (
      this.isClosed ||
      child.report.status !== "completed" ||
      !child.session ||
      child.session.mailbox.unread().length === 0
    )
      return;
    this.#wake(child, "irc").catch((error: unknown) => this.#parent.warn(messageOf(error)));
  }

  /** Looks up what the child needs; undefined if it can be woken at once. */
  #lookUp(child: Child): Promise<void> | undefined {
    if (!child.closing && (child.facts.agent === undefined || child.type)) return undefined;
    child.waking ??= this.#typeAgain(child);
    return child.waking;
  }

  /**
   * Restores a parked child's kind from its file as it is now, so that nothing in the child's own journal can widen its
   * rights.
   */
  async #typeAgain(child: Child): Promise<void> {
    const { agent } = child.facts;
    try {
      await child.closing;
      if (agent !== undefined) child.type = await permittedType(this.#parent, agent);
    } finally {
      child.waking = undefined;
    }
  }

  async #close(child: Child): Promise<AgentReport> {
    child.idleTimer?.cancel();
    child.run?.controller.abort(new Error("it was closed before it started"));
    await child.session?.close();
    await child.closing;
    const report = await child.done;
    child.session = undefined;
    if (child.state === "idle") this.#parts.runs.setState(child, "parked");
    return { ...report, state: child.state };
  }

  #child(agentId: string): Child {
    const child = this.#children.get(agentId);
    if (child) return child;
    throw new ToolFailure(unknownAgent(agentId, [...this.#children.keys()]));
  }

  #addChild(child: Child): void {
    this.#children.set(child.facts.header.agentId, child);
    this.directory.add(child, this);
  }
}
