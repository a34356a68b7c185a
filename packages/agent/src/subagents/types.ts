// Child agents as the session and their tools see them.

import type { JsonSchema, ToolChoice, Usage } from "@lathe/llm";
import type { Amounts, BudgetConfig, Ledger } from "../budget/ledger.ts";
import type { ApprovalAnswer } from "../contract/approval.ts";
import type { ToolDef } from "../contract/tool.ts";
import type { ExecutionEnvironment } from "../env/types.ts";
import type { InputContent, InputOutcome, MessageSource, SessionEvent } from "../events/types.ts";
import type { Journal, NewEntry } from "../journal/journal.ts";
import type { ChildHeader } from "../journal/types.ts";
import type { Profile } from "../profiles/types.ts";
import type { SessionTool } from "../registry/host-tool.ts";
import type { Middleware } from "../seams/types.ts";
import type { SessionDeps } from "../time/deadline.ts";
import type { Completion } from "./completion.ts";
import type { Directory } from "./directory.ts";
import type { SharedStart } from "./shared-start.ts";

/** How children of a session are made and what they may spend. */
export interface SubagentOptions {
  /** Opens a child's own journal: a new one, or the one that an earlier run left. In memory when absent. */
  readonly journal?: ((header: ChildHeader) => Journal) | undefined;
  /** The profile for a model that a spawn asks for; children use the parent's when absent. */
  readonly profileFor?: (model: string) => Profile | undefined;
  /** What a child gets unless the spawn says otherwise. */
  readonly budget?: BudgetConfig | undefined;
  /** The kinds of agents that there are now; asked for each spawn. None when absent. */
  readonly types?: (() => Promise<readonly AgentType[]>) | undefined;
  /** Why agents of this kind may not be started, whoever asks. */
  readonly refusal?: ((agent: string) => string | undefined) | undefined;
  /** Read when it is needed: a change takes effect with the next child. */
  readonly limits?: (() => AgentLimits) | undefined;
  /** What a child without a role of its own is like now; plain when absent. */
  readonly defaultRole?: (() => AgentRole | undefined) | undefined;
  /** Gives an isolated child an environment of its own, and lands its work when it has ended. Absent: no child is isolated. */
  readonly isolate?: ((child: IsolationRequest) => Promise<Isolation>) | undefined;
}

/** 0 or absent: no limit. */
export interface AgentLimits {
  /** Children that work at a time; read once. */
  readonly concurrency?: number | undefined;
  /** Of one input of a child. */
  readonly runMs?: number | undefined;
  /** Requests after which a child is told to finish; after twice as many it is stopped. */
  readonly requests?: number | undefined;
  /** How long a child without work keeps its session. */
  readonly idleMs?: number | undefined;
}

/** A child that is to work apart from its parent's files. */
export interface IsolationRequest {
  readonly agentId: string;
  readonly type: AgentType | undefined;
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
}

/** Where such a child works. */
export interface Isolation {
  readonly env: ExecutionEnvironment;
  /** Its input has ended. Asked a second time when the child was sent back to work. */
  land(ended: { readonly isDone: boolean }): Promise<LandedWork>;
}

/** What became of the work of an isolated child. */
export interface LandedWork {
  /** Is added to its result. */
  readonly text: string;
  /** What the child is told to put right; taken once. */
  readonly again?: string | undefined;
}

/** A kind of agent, as its file describes it. */
export interface AgentType {
  readonly name: string;
  /** Other names, for callers that know it by them. */
  readonly aliases?: readonly string[] | undefined;
  readonly description: string;
  /** For people: where it comes from. */
  readonly source: string;
  /** First part of what the child is told about its work. */
  readonly prompt: string;
  /** The tools that it has of its parent's; all when absent. */
  readonly allows?: ((tool: Pick<ToolDef, "name" | "tier" | "sessionOnly" | "feature">) => boolean) | undefined;
  /** The kinds of agents that it may start itself; none when absent. */
  readonly spawns?: Spawns | undefined;
  /** For `profileFor`; its parent's model when absent. */
  readonly model?: string | undefined;
  /** What its output must fit. */
  readonly output?: JsonSchema | undefined;
  /** Whoever starts it waits for it. */
  readonly blocking?: boolean | undefined;
  readonly budget?: BudgetConfig | undefined;
  readonly isolation?: string | undefined;
  /** A command that decides whether its work may land. */
  readonly verify?: string | undefined;
  /** Besides its parent's: it may narrow what is permitted, never widen it. */
  readonly middleware?: readonly Middleware[] | undefined;
}

/** Which kinds of agents may be started: any, or these. */
export type Spawns = "*" | readonly string[];

/** What a child has in place of its parent's. */
export interface AgentRole {
  readonly profile?: Profile | undefined;
  /** Last part of the system prompt. */
  readonly prompt?: string | undefined;
  /** Host tools of the child. */
  readonly tools?: readonly SessionTool[] | undefined;
}

/** What the manager needs of a child's session. */
export interface ChildSession {
  readonly usage: { readonly usage: Usage; readonly cost: number; readonly turns: number };
  readonly spent: Amounts;
  readonly config: { budget: BudgetConfig; maxTurns: number };
  readonly profile: Profile;
  readonly contextTokens: number;
  readonly journal: Journal;
  submit(content: InputContent): Promise<InputOutcome>;
  steer(content: InputContent, source?: MessageSource): string;
  interrupt(): Promise<void>;
  close(): Promise<void>;
  abandonUnfinishedInput(): void;
  forceToolChoice(choice: ToolChoice): void;
  endInput(): void;
  lastText(): string;
  answerApproval(callId: string, answer: ApprovalAnswer, agentId?: string): boolean;
}

export interface ChildOpening {
  readonly header: ChildHeader;
  readonly profile: Profile;
  readonly role: AgentRole | undefined;
  readonly type: AgentType | undefined;
  /** Of a child that has to yield. */
  readonly completion: Completion | undefined;
  /** Its task, for people who are asked about a call of it. */
  readonly assignment: string;
  readonly shared: SharedStart | undefined;
  /** Where it works; in its parent's environment when absent. */
  readonly env: ExecutionEnvironment | undefined;
  readonly onEvent: (event: SessionEvent) => void;
}

/** What the manager needs of the parent's session. */
export interface ParentSession {
  readonly journal: Journal;
  readonly env: ExecutionEnvironment;
  readonly profile: Profile;
  readonly options: SubagentOptions;
  readonly deps: SessionDeps;
  /** Of a session that is a child itself. */
  readonly agentId: string | undefined;
  readonly spawns: Spawns;
  /** All agents of the session. */
  readonly directory: Directory;
  readonly ledger: Ledger;
  readonly budget: BudgetConfig;
  /** A message begins an input when the session is idle, so that nobody has to wait for a result. */
  readonly takesReports: boolean;
  elapsedMs(): number;
  accountInput(usage: Usage, cost: number): void;
  append(entry: NewEntry): void;
  childEvent(agentId: string, event: SessionEvent): void;
  warn(message: string): void;
  open(child: ChildOpening): ChildSession;
  /** Gives the session a message, once for each id; `wakes`: it may begin an input. */
  report(content: string, source: MessageSource, wakes: boolean, id: string): void;
}
