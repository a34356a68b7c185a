// The child agents of one session: each has its own session and journal, shares the environment, and lives inside the
// parent's budget. A child's run is an effect of the parent: intent before it, outcome entry after it.

import type { Usage } from "@lathe/llm";
import { type Amounts, NO_USAGE } from "../budget/ledger.ts";
import { ToolFailure } from "../contract/tool.ts";
import { ScopedEnvironment } from "../env/wrappers.ts";
import type { SessionEvent } from "../events/types.ts";
import { messageOf } from "../seams/run.ts";
import type { ApprovalAnswer } from "../session/call/approvals.ts";
import type { BudgetConfig } from "../session/config.ts";
import type { SessionCore } from "../session/core.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../session/types.ts";
import { type AgentRecord, appendOutcome, knownAgents, NOTHING_SPENT, recordStart, type Spent } from "./records.ts";
import type { AgentReport, ChildHeader, SpawnRequest, SubagentService } from "./types.ts";

interface Child {
  readonly header: ChildHeader;
  readonly model: string | undefined;
  readonly maxTurns: number;
  session: Session | undefined;
  report: AgentReport;
  /** Resolves with the report when the present input has ended. */
  done: Promise<AgentReport>;
  /** Reason of the last processing_end. */
  ended: { reason: string; error?: string } | undefined;
}

export class Subagents implements SubagentService {
  readonly #core: SessionCore;
  readonly #create: (options: SessionOptions) => Session;
  readonly #children = new Map<string, Child>();
  readonly enabled: boolean;

  constructor(core: SessionCore, create: (options: SessionOptions) => Session) {
    this.#core = core;
    this.#create = create;
    this.enabled = (core.options.depth ?? 0) < core.config.maxSubagentDepth;
  }

  list(): AgentReport[] {
    return [...this.#children.values()].map((child) => child.report);
  }

  async spawn(request: SpawnRequest): Promise<AgentReport> {
    const core = this.#core;
    const { env } = core.options;
    const cwd = request.workingDir === undefined ? env.workingDirectory() : env.resolve(request.workingDir);
    if (!isInside(env.workingDirectory(), cwd)) {
      throw new ToolFailure(`working_dir must lie inside ${env.workingDirectory()}; ${cwd} does not.`);
    }
    this.#profile(request.model);
    const agentId = core.journal.newId();
    const header = { agentId, parentSession: core.journal.header.id, parentCall: request.callId, cwd };
    const child: Child = {
      header,
      model: request.model,
      maxTurns: request.maxTurns ?? 0,
      session: undefined,
      report: { agentId, status: "running", output: "", turnsUsed: 0 },
      done: Promise.resolve({ agentId, status: "running", output: "", turnsUsed: 0 }),
      ended: undefined,
    };
    await this.#start(child, request.callId, request.task);
    return child.report;
  }

  /** A running child is steered; one that has ended gets a new input. */
  async send(agentId: string, message: string, callId: string): Promise<AgentReport> {
    const child = this.#child(agentId);
    if (child.report.status === "running" && child.session) {
      child.session.steer(message);
      return child.report;
    }
    await this.#start(child, callId, message);
    return child.report;
  }

  async wait(agentId: string, signal: AbortSignal): Promise<AgentReport> {
    const child = this.#child(agentId);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      void child.done.then((report) => {
        signal.removeEventListener("abort", onAbort);
        resolve(report);
      });
    });
  }

  async close(agentId: string): Promise<AgentReport> {
    const child = this.#child(agentId);
    await child.session?.close();
    const report = await child.done;
    child.session = undefined;
    return report;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((agentId) => this.close(agentId)));
  }

  interruptAll(): void {
    for (const child of this.#children.values()) void child.session?.interrupt();
  }

  answerApproval(callId: string, answer: ApprovalAnswer, agentId: string | undefined): boolean {
    return [...this.#children.values()].some((child) => child.session?.answerApproval(callId, answer, agentId));
  }

  /** What an earlier process left: ended children are known again, running ones are settled as interrupted. */
  recover(): void {
    const records = knownAgents(this.#core);
    for (const intent of this.#core.journal.unsettled()) {
      const begun = records.some((record) => record.intent.for === intent.for);
      if (intent.effect === "child" && !begun) this.#core.journal.settle(intent.id, "interrupted");
    }
    for (const record of records) {
      const child = this.#remember(record);
      if (record.outcome) continue;
      this.#settleInOwnJournal(child);
      const spent = child.session && since(child.session.usage, record.spent);
      this.#settle(child, record.intent.for, { status: "failed", output: "interrupted" }, spent);
    }
  }

  // ---- inside ----

  async #start(child: Child, callId: string, content: string): Promise<void> {
    const core = this.#core;
    const { agentId } = child.header;
    const asked = { ...core.options.subagents?.budget, ...(child.maxTurns > 0 ? { turns: child.maxTurns } : {}) };
    const share = core.ledger.reserve(agentId, core.config.budget, core.elapsedMs(), asked);
    if (!share) throw new ToolFailure("There is no budget left for a child agent. Do the work yourself or finish.");
    const session = child.session ?? this.#openOrGiveUp(child);
    child.session = session;
    const before = session.usage;
    // A child that is taken up again has spent already; its share and its limit count from now.
    session.config.budget = onTopOf(share, session.spent);
    session.config.maxTurns = child.maxTurns > 0 ? before.turns + child.maxTurns : 0;
    // From here on it is running: what else is sent to it meanwhile steers it, and closing the parent closes it.
    this.#children.set(agentId, child);
    child.report = { agentId, status: "running", output: "", turnsUsed: 0 };
    child.ended = undefined;
    let finish = (_report: AgentReport): void => {};
    child.done = new Promise((resolve) => {
      finish = resolve;
    });
    try {
      const intent = await core.journal.intent({ effect: "child", callId, replay: "never" });
      recordStart(core, intent, child);
      void session
        .submitWithLate(content)
        .then(() => undefined, messageOf)
        .then((failure) => finish(this.#finish(child, intent.for, before, failure)));
    } catch (error) {
      child.report = { agentId, status: "failed", output: messageOf(error), turnsUsed: 0 };
      finish(child.report);
      throw error;
    }
  }

  /** A child's journal that cannot be opened is the child's trouble, not the session's. */
  #openOrGiveUp(child: Child): Session {
    const { agentId } = child.header;
    try {
      return this.#open(child);
    } catch (error) {
      this.#core.ledger.settle(agentId, NO_USAGE, 0, 0);
      throw new ToolFailure(`The agent ${agentId} cannot be started: ${messageOf(error)}`);
    }
  }

  #open(child: Child): Session {
    const core = this.#core;
    const { options } = core;
    const { agentId, cwd } = child.header;
    const scoped = cwd === options.env.workingDirectory() ? options.env : new ScopedEnvironment(options.env, cwd);
    const journal = options.subagents?.journal?.(child.header);
    return this.#create({
      ...options,
      profile: this.#profile(child.model),
      env: scoped,
      sharedEnv: true,
      config: { ...core.config },
      services: {
        ...options.services,
        ...(core.services.pathLocks ? { pathLocks: core.services.pathLocks } : {}),
      },
      artifacts: core.artifacts,
      agentId,
      depth: (options.depth ?? 0) + 1,
      onEvent: (event) => this.#follow(child, event),
      journal,
    } as SessionOptions);
  }

  #follow(child: Child, event: SessionEvent): void {
    if (event.kind === "processing_end") {
      const { reason, error } = event.data;
      child.ended = { reason, ...(error === undefined ? {} : { error }) };
    }
    this.#core.emit("subagent_event", { agent_id: child.header.agentId, event });
  }

  #finish(child: Child, outcomeId: string, before: Session["usage"], failure?: string): AgentReport {
    const session = child.session!;
    const spent = since(session.usage, before);
    const completed = failure === undefined && child.ended?.reason === "completed";
    const why = failure ?? child.ended?.error ?? child.ended?.reason ?? "closed before completion";
    const text = session.lastText();
    return this.#settle(
      child,
      outcomeId,
      { status: completed ? "completed" : "failed", output: completed ? text : `${why}${text && `\n\n${text}`}` },
      spent,
    );
  }

  #settle(
    child: Child,
    outcomeId: string,
    outcome: Pick<AgentReport, "status" | "output">,
    spent: Spent = NOTHING_SPENT,
  ): AgentReport {
    const report: AgentReport = { agentId: child.header.agentId, turnsUsed: spent.turns, ...outcome };
    child.report = report;
    child.done = Promise.resolve(report);
    this.#core.ledger.settle(report.agentId, spent.usage, spent.cost, spent.turns);
    this.#core.accountInput(spent.usage, spent.cost);
    try {
      appendOutcome(this.#core, outcomeId, report, spent);
    } catch (error) {
      // Whoever waits for the child gets its report; the next write of the session itself ends it.
      this.#core.warn(`the end of agent ${report.agentId} was not recorded: ${messageOf(error)}`, "subagent");
    }
    return report;
  }

  #remember(record: AgentRecord): Child {
    const { agentId } = record.header;
    const report = record.outcome ?? { agentId, status: "running" as const, output: "", turnsUsed: 0 };
    const { header, model, maxTurns } = record;
    const done = Promise.resolve(report);
    const child: Child = { header, model, maxTurns, session: undefined, report, done, ended: undefined };
    this.#children.set(agentId, child);
    return child;
  }

  /** Opening settles the effects that were under way; the input that was cut is given up. */
  #settleInOwnJournal(child: Child): void {
    if (!this.#core.options.subagents?.journal) return;
    try {
      child.session = this.#open(child);
      child.session.abandonCut();
    } catch (error) {
      this.#core.warn(`the journal of agent ${child.header.agentId} cannot be opened: ${messageOf(error)}`, "subagent");
    }
  }

  #profile(model: string | undefined): SessionCore["profile"] {
    if (model === undefined || model === this.#core.profile.model) return this.#core.profile;
    const profile = this.#core.options.subagents?.profileFor?.(model);
    if (!profile) throw new ToolFailure(`No model "${model}" is available here; leave model out to use your own.`);
    return profile;
  }

  #child(agentId: string): Child {
    const child = this.#children.get(agentId);
    if (child) return child;
    const known = [...this.#children.keys()];
    const there = known.length === 0 ? "there are none" : `known: ${known.join(", ")}`;
    throw new ToolFailure(`There is no agent ${agentId}; ${there}.`);
  }
}

function onTopOf(share: BudgetConfig, spent: Amounts): BudgetConfig {
  const entries = Object.entries(share) as [keyof Amounts, number][];
  return Object.fromEntries(entries.map(([dimension, amount]) => [dimension, amount + spent[dimension]]));
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function since(now: Spent, before: Spent): Spent {
  return {
    usage: subtract(now.usage, before.usage),
    cost: now.cost - before.cost,
    turns: now.turns - before.turns,
  };
}

function subtract(a: Usage, b: Usage): Usage {
  const optional = (key: "reasoningTokens" | "cacheReadTokens" | "cacheWriteTokens"): object =>
    a[key] === undefined ? {} : { [key]: a[key] - (b[key] ?? 0) };
  return {
    inputTokens: a.inputTokens - b.inputTokens,
    outputTokens: a.outputTokens - b.outputTokens,
    totalTokens: a.totalTokens - b.totalTokens,
    ...optional("reasoningTokens"),
    ...optional("cacheReadTokens"),
    ...optional("cacheWriteTokens"),
  };
}
