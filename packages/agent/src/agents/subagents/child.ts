// One child agent as its parent keeps it: its definition, its state, and its session while it has one.

import type { Usage } from "@lathe/llm";
import type { Amounts, BudgetConfig, RequestAmounts } from "../../base/budget/ledger.ts";
import { abortController } from "../../base/time/deadline.ts";
import type { AgentReport, AgentState } from "../../contract/subagents.ts";
import type { Exchange } from "../irc/exchange.ts";
import { MAIN } from "../irc/types.ts";
import type { Completion } from "./completion.ts";
import type { Race } from "./race.ts";
import { type AgentFacts, type AgentRecord, addSpent, NOTHING_SPENT, type Spent } from "./records.ts";
import type { SharedStart } from "./shared-start.ts";
import { Troubles } from "./troubles.ts";
import type { AgentType, ChildSession, Isolation, LandedWork } from "./types.ts";

/** One input of a child, from the moment when it is submitted. */
export interface Run {
  /** Aborts the wait for its turn; a working session is interrupted instead. */
  readonly controller: AbortController;
  readonly startedAt: number;
  /** Why it has not begun yet. */
  waitsFor: "turn" | "memory" | undefined;
  /** Number of requests so far. */
  requests: number;
  readonly troubles: Troubles;
  /** Why it was stopped. */
  stopped: string | undefined;
  /** True if it was ended for good. */
  isAborted: boolean;
  /** How many calls wait for its end; they report it to the model. */
  waiters: number;
}

interface EndedInput {
  /** The entry that records how it ended. */
  readonly outcomeId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface Child {
  readonly facts: AgentFacts;
  state: AgentState;
  /** Set while the child works or is idle. */
  session: ChildSession | undefined;
  type: AgentType | undefined;
  completion: Completion | undefined;
  shared: SharedStart | undefined;
  isolation: Isolation | undefined;
  /** The kind of view that it works in, or last worked in while this process knew it. */
  view: string | undefined;
  /** The result of landing an isolated child's work. */
  landed: LandedWork | undefined;
  /** The race that it is part of. */
  race: Race | undefined;
  run: Run | undefined;
  /** The content that it was given but has not read. */
  unread: string | undefined;
  report: Omit<AgentReport, "state">;
  /** Total of the inputs that have ended. */
  spent: Spent;
  /** The last input that has ended. */
  ended: EndedInput | undefined;
  /** Resolves with the report when the current input has ended. */
  done: Promise<AgentReport>;
  /** Set while its session is closing. After that its journal can be opened again. */
  closing: Promise<void> | undefined;
  /** Set while we look up what it needs to work again. */
  waking: Promise<void> | undefined;
  idleTimer: { cancel(): void } | undefined;
}

export function newChild(facts: AgentFacts, type: AgentType | undefined, shared: SharedStart | undefined): Child {
  const report = runningReport(facts);
  return {
    facts,
    state: "running",
    session: undefined,
    type,
    completion: undefined,
    shared,
    isolation: undefined,
    view: undefined,
    landed: undefined,
    race: undefined,
    run: undefined,
    unread: undefined,
    report,
    spent: NOTHING_SPENT,
    ended: undefined,
    done: Promise.resolve({ ...report, state: "running" }),
    closing: undefined,
    waking: undefined,
    idleTimer: undefined,
  };
}

/** A child of an earlier process, from the parent's journal. */
export function rememberedChild({ intent, input, outcome, spent, endedAt, ...facts }: AgentRecord): Child {
  const child = newChild(facts, undefined, undefined);
  child.spent = spent;
  if (!outcome) return child;
  const { isAborted, isUnread, report: _message, ...shown } = outcome;
  if (isUnread) child.unread = input;
  child.state = isAborted ? "aborted" : "parked";
  child.ended = { outcomeId: intent.for, endedAt, startedAt: endedAt - (outcome.durationMs ?? 0) };
  child.report = { ...runningReport(facts), ...shown };
  child.done = Promise.resolve(reportOf(child));
  return child;
}

export function newRun(startedAt: number): Run {
  const controller = abortController();
  return {
    controller,
    startedAt,
    waitsFor: undefined,
    requests: 0,
    troubles: new Troubles(),
    stopped: undefined,
    isAborted: false,
    waiters: 0,
  };
}

/** The fields that are the same in all reports of a child. */
export function runningReport(facts: AgentFacts): Omit<AgentReport, "state"> {
  const { header, agent, description, task, isIsolated } = facts;
  return {
    agentId: header.agentId,
    status: "running",
    output: "",
    turnsUsed: 0,
    assignment: task,
    ...(agent === undefined ? {} : { agent }),
    ...(description === undefined ? {} : { description }),
    ...(isIsolated ? { isIsolated } : {}),
  };
}

/** What its session and its kind tell, as long as it has them. */
function contextOf({ session, type }: Child): Pick<AgentReport, "contextTokens" | "contextWindow" | "source"> {
  const window = session?.profile.contextWindowSize ?? 0;
  return {
    ...(session && session.contextTokens > 0 ? { contextTokens: session.contextTokens } : {}),
    ...(window > 0 ? { contextWindow: window } : {}),
    ...(type ? { source: type.source } : {}),
  };
}

/** Ends the current input. */
export function endRun(
  child: Child,
  shown: Partial<AgentReport>,
  { outcomeId, isAborted, spent, now }: { outcomeId: string; isAborted: boolean; spent: Spent; now: number },
): void {
  const tokens = spent.usage.totalTokens;
  child.report = { ...runningReport(child.facts), ...shown, ...contextOf(child), tokens };
  child.spent = addSpent(child.spent, spent);
  child.ended = { outcomeId, startedAt: child.run?.startedAt ?? now, endedAt: now };
  child.run = undefined;
  child.state = isAborted ? "aborted" : child.session ? "idle" : "parked";
  child.done = Promise.resolve(reportOf(child));
}

export const reportOf = ({ report, state }: Child): AgentReport => {
  const { output: _late, ...rest } = report;
  return {
    ...rest,
    state,
    // The output of a parked child is read on demand.
    get output() {
      return report.output;
    },
  };
};

/** Resolves when the current input has ended. The signal only ends the wait. */
export function waitFor(
  { facts, run, done }: Child,
  signal: AbortSignal,
  { agentId: self = MAIN, exchange }: { readonly agentId: string | undefined; readonly exchange: Exchange | undefined },
): Promise<AgentReport> {
  if (run) run.waiters += 1;
  const leave = run && exchange?.waits({ agent: self, of: facts.header.agentId, until: "end" });
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (run) run.waiters -= 1;
      leave?.();
      reject(signal.reason);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void done.then((report) => {
      signal.removeEventListener("abort", onAbort);
      leave?.();
      resolve(report);
    });
  });
}

/** The spawn can only lower the limits of the kind. */
export function wantedBudget(
  usual: BudgetConfig | undefined,
  kinds: BudgetConfig | undefined,
  maxTurns: number,
): BudgetConfig {
  const wanted = { ...usual, ...kinds };
  return maxTurns > 0 ? { ...wanted, turns: Math.min(maxTurns, kinds?.turns ?? maxTurns) } : wanted;
}

/** A resumed child has already spent some; its share applies from now on. */
export function raiseBySpent(share: BudgetConfig, spent: Amounts, uncertain: RequestAmounts): BudgetConfig {
  const used = { ...spent, tokens: spent.tokens + uncertain.tokens, usd: spent.usd + uncertain.usd };
  const entries = Object.entries(share) as [keyof Amounts, number][];
  return Object.fromEntries(entries.map(([dimension, amount]) => [dimension, amount + used[dimension]]));
}

export function since(now: Spent, before: Spent): Spent {
  return {
    usage: subtract(now.usage, before.usage),
    cost: now.cost - before.cost,
    turns: now.turns - before.turns,
    calls: now.calls - before.calls,
    uncertain: {
      tokens: now.uncertain.tokens - before.uncertain.tokens,
      usd: now.uncertain.usd - before.uncertain.usd,
    },
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
