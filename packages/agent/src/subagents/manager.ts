// The child agents of one session: each has its own session and journal, shares the environment, and lives inside the
// parent's budget. A child's run is an effect of the parent: intent before it, outcome entry after it.

import { messageOf, type Usage } from "@lathe/llm";
import { type Amounts, type BudgetConfig, NO_USAGE } from "../budget/ledger.ts";
import type { ApprovalAnswer } from "../contract/approval.ts";
import type { AgentReport, SpawnRequest, SubagentService } from "../contract/subagents.ts";
import { ToolFailure } from "../contract/tool.ts";
import { realPathOf } from "../env/real-path.ts";
import type { InputOutcome } from "../events/types.ts";
import type { ChildHeader } from "../journal/types.ts";
import { type AgentRecord, appendOutcome, knownAgents, NOTHING_SPENT, recordStart, type Spent } from "./records.ts";
import type { AgentRole, ChildSession, ParentSession } from "./types.ts";

interface Child {
  readonly header: ChildHeader;
  readonly model: string | undefined;
  readonly role: string | undefined;
  readonly maxTurns: number;
  session: ChildSession | undefined;
  report: AgentReport;
  /** Resolves with the report when the current input has ended. */
  done: Promise<AgentReport>;
}

export class Subagents implements SubagentService {
  readonly #parent: ParentSession;
  readonly #children = new Map<string, Child>();

  constructor(parent: ParentSession) {
    this.#parent = parent;
  }

  list(): AgentReport[] {
    return [...this.#children.values()].map((child) => child.report);
  }

  async spawn(request: SpawnRequest): Promise<AgentReport> {
    const { env, journal } = this.#parent;
    const cwd = request.workingDir === undefined ? env.workingDirectory() : env.resolve(request.workingDir);
    const [own, real] = await Promise.all([realPathOf(env, env.workingDirectory()), realPathOf(env, cwd)]);
    if (!isInside(env.workingDirectory(), cwd) || !isInside(own, real)) {
      throw new ToolFailure(`working_dir must lie inside ${env.workingDirectory()}; ${cwd} does not.`);
    }
    this.#profile(request.model, request.role);
    const agentId = journal.newId();
    const header = { agentId, parentSession: journal.header.id, parentCall: request.callId, cwd };
    const child: Child = {
      header,
      model: request.model,
      role: request.role,
      maxTurns: request.maxTurns ?? 0,
      session: undefined,
      report: { agentId, status: "running", output: "", turnsUsed: 0 },
      done: Promise.resolve({ agentId, status: "running", output: "", turnsUsed: 0 }),
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
    const records = knownAgents(this.#parent);
    for (const intent of this.#parent.journal.unsettled()) {
      const begun = records.some((record) => record.intent.for === intent.for);
      if (intent.effect === "child" && !begun) this.#parent.journal.settle(intent.id, "interrupted");
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
    const parent = this.#parent;
    const { agentId } = child.header;
    const requestedBudget = { ...parent.options.budget, ...(child.maxTurns > 0 ? { turns: child.maxTurns } : {}) };
    const share = parent.ledger.reserve(agentId, parent.budget, parent.elapsedMs(), requestedBudget);
    if (!share) throw new ToolFailure("There is no budget left for a child agent. Do the work yourself or finish.");
    const session = child.session ?? this.#openOrGiveUp(child);
    child.session = session;
    const before = session.usage;
    // A child that is taken up again has spent already; its share and its limit apply from now on.
    session.config.budget = onTopOf(share, session.spent);
    session.config.maxTurns = child.maxTurns > 0 ? before.turns + child.maxTurns : 0;
    // From here on it is running: what else is sent to it in the meantime steers it, and closing the parent closes it.
    this.#children.set(agentId, child);
    child.report = { agentId, status: "running", output: "", turnsUsed: 0 };
    let finish = (_report: AgentReport): void => {};
    child.done = new Promise((resolve) => {
      finish = resolve;
    });
    try {
      const intent = await parent.journal.intent({ effect: "child", callId, replay: "never" });
      const profile = this.#profile(child.model, child.role);
      recordStart(parent, intent, child, `${profile.provider ?? profile.id}/${profile.model}`);
      void session
        .submit(content)
        .catch((error: unknown) => messageOf(error))
        .then((ended) => finish(this.#finish(child, intent.for, before, ended)));
    } catch (error) {
      child.report = { agentId, status: "failed", output: messageOf(error), turnsUsed: 0 };
      finish(child.report);
      throw error;
    }
  }

  /** A child's journal that cannot be opened fails the child, not the session. */
  #openOrGiveUp(child: Child): ChildSession {
    const { agentId } = child.header;
    try {
      return this.#open(child);
    } catch (error) {
      this.#parent.ledger.settle(agentId, NO_USAGE, 0, 0);
      throw new ToolFailure(`The agent ${agentId} cannot be started: ${messageOf(error)}`);
    }
  }

  #open({ header, model, role }: Child): ChildSession {
    return this.#parent.open({
      header,
      profile: this.#profile(model, role),
      role: this.#role(role),
      onEvent: (event) => this.#parent.childEvent(header.agentId, event),
    });
  }

  /** `ended`: how its input ended, or why it was not taken. */
  #finish(child: Child, outcomeId: string, before: ChildSession["usage"], ended: InputOutcome | string): AgentReport {
    const session = child.session!;
    const spent = since(session.usage, before);
    const completed = typeof ended !== "string" && ended.reason === "completed";
    const why = typeof ended === "string" ? ended : (ended.error?.message ?? ended.reason);
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
    this.#parent.ledger.settle(report.agentId, spent.usage, spent.cost, spent.turns);
    this.#parent.accountInput(spent.usage, spent.cost);
    try {
      appendOutcome(this.#parent, outcomeId, report, spent);
    } catch (error) {
      // Whoever waits for the child gets its report; the next write of the session itself ends it.
      this.#parent.warn(`the end of agent ${report.agentId} was not recorded: ${messageOf(error)}`);
    }
    return report;
  }

  #remember(record: AgentRecord): Child {
    const { agentId } = record.header;
    const report = record.outcome ?? { agentId, status: "running" as const, output: "", turnsUsed: 0 };
    const { header, model, role, maxTurns } = record;
    const done = Promise.resolve(report);
    const child: Child = { header, model, role, maxTurns, session: undefined, report, done };
    this.#children.set(agentId, child);
    return child;
  }

  /** Opening settles the effects that were under way; the unfinished input is abandoned. */
  #settleInOwnJournal(child: Child): void {
    if (!this.#parent.options.journal) return;
    try {
      child.session = this.#open(child);
      child.session.abandonUnfinishedInput();
    } catch (error) {
      this.#parent.warn(`the journal of agent ${child.header.agentId} cannot be opened: ${messageOf(error)}`);
    }
  }

  #profile(model: string | undefined, role: string | undefined): ParentSession["profile"] {
    const own = this.#role(role)?.profile ?? this.#parent.profile;
    if (model === undefined || model === own.model) return own;
    const profile = this.#parent.options.profileFor?.(model);
    if (!profile) throw new ToolFailure(`No model "${model}" is available here; omit model to use your own.`);
    return profile;
  }

  #role(name: string | undefined): AgentRole | undefined {
    const { roles = {}, defaultRole } = this.#parent.options;
    return name !== undefined && Object.hasOwn(roles, name) ? roles[name] : defaultRole?.();
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
