// Child agents as seen by hosts and by their sessions: the options of a host, and what each side needs from the other.

import type { JsonSchema, RoutingClient, ToolChoice } from "@lathe/llm";
import type { Amounts, BudgetConfig } from "../../base/budget/ledger.ts";
import type { ApprovalAnswer } from "../../contract/approval.ts";
import type { InputContent, InputOutcome, MessageSource } from "../../contract/events/types.ts";
import type { ChildHeader } from "../../contract/journal.ts";
import type { SessionTool } from "../../contract/registry/host-tool.ts";
import type { Middleware } from "../../contract/seams/types.ts";
import type { BatchReport, BatchRequest, KeptWork, SubagentService } from "../../contract/subagents.ts";
import type { ToolDef } from "../../contract/tool.ts";
import type { Conflicts } from "../../files/formats/conflict/conflicts.ts";
import type { Journal } from "../../record/journal/journal.ts";
import type { ReadingOptions } from "../../tools/builtin/read/index.ts";
import type { Profile } from "../../tools/profiles/types.ts";
import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { Mailbox } from "../irc/types.ts";
import type { Spent } from "./records.ts";

/** How children of a session are made and what they may spend. */
export interface SubagentOptions {
  /** Opens a child's own journal: a new one, or the one from an earlier run. In memory when absent. */
  readonly journal?: ((header: ChildHeader) => Journal) | undefined;
  /** The profile for a model that a spawn requests; children use the parent's when absent. */
  readonly profileFor?: (model: string) => Profile | undefined;
  /** The budget of a child, unless the spawn says otherwise. */
  readonly budget?: BudgetConfig | undefined;
  /** The kinds of agents that exist now; asked for each spawn. None when absent. */
  readonly types?: (() => Promise<readonly AgentType[]>) | undefined;
  /** Why agents of this kind may not be started by any caller. */
  readonly refusal?: ((agent: string) => string | undefined) | undefined;
  /** Read when needed: a change takes effect with the next child. */
  readonly limits?: (() => AgentLimits) | undefined;
  /** The current role of children that have none of their own; plain when absent. */
  readonly defaultRole?: (() => AgentRole | undefined) | undefined;
  /** Lets the session and its agents send each other messages. */
  readonly irc?: IrcOptions | undefined;
  /**
   * Gives an isolated child its own environment, and lands its work when it has ended. Absent: no child is isolated.
   */
  readonly isolate?: ((child: IsolationRequest) => Promise<Isolation>) | undefined;
  /**
   * True if the session itself works in an isolated copy: its children work in its copy, and their work lands with its
   * own.
   */
  readonly isApart?: boolean | undefined;
  /**
   * True if the run is recorded or replayed: things that come at their own intervals, such as progress, would come at
   * other moments the next time.
   */
  readonly isTaped?: boolean | undefined;
  /** Stores the whole output of a child as a file and returns its path. */
  readonly keepOutput?: ((agentId: string, output: string) => string) | undefined;
  /** What became of the work of an isolated child that was cut off in an earlier process. */
  readonly leftBy?: ((agentId: string) => string | undefined) | undefined;
}

/** How the agents of a session send each other messages. */
export interface IrcOptions {
  /** How long a call waits for a message by default; 0: without a limit. 120 s when absent or not a valid time. */
  readonly timeoutMs?: (() => number) | undefined;
}

/** For each limit, 0 or absent means none. */
export interface AgentLimits {
  /** How many children work at a time; read once. */
  readonly concurrency?: number | undefined;
  /** How long one input of a child may take. */
  readonly runMs?: number | undefined;
  /** After this many requests a child is asked to wrap up; after twice as many it is stopped. */
  readonly requests?: number | undefined;
  /** How long an idle child keeps its session. */
  readonly idleMs?: number | undefined;
}

/** A child that will work in an isolated copy. */
export interface IsolationRequest {
  readonly agentId: string;
  readonly type: AgentType | undefined;
  /** A command that decides whether its work may land. */
  readonly verify: string | undefined;
  /** What it works on, for the user. */
  readonly task: string;
  /** The parent's environment. */
  readonly env: ExecutionEnvironment;
  /** Where its parent looks up conflicts by number. */
  readonly conflicts: Conflicts | undefined;
  /** Aborts the opening. */
  readonly signal: AbortSignal;
}

/** Where an isolated child works. */
export interface Isolation {
  readonly env: ExecutionEnvironment;
  /** The kind of view that was used, for the user. */
  readonly kind?: string | undefined;
  /**
   * Lands the child's work when its input has ended; called again if the child was sent back to work. Children end in
   * parallel: the host must land one at a time and ask `refusal` when it is this child's turn, otherwise several of a
   * race would land.
   */
  land(wish: LandingWish): Promise<LandedWork>;
  /**
   * Called when the end of its run is recorded and nothing of it is needed any more. `toldBy`: the message that reports
   * it to its parent, if there is one.
   */
  close(toldBy?: string): Promise<void>;
}

/** A request to land the work of an isolated child whose input has ended. */
export interface LandingWish {
  /** If false, nothing lands. */
  readonly isDone: boolean;
  /** The child cannot be sent back to work. */
  readonly isLast: boolean;
  /** Asked when it is the child's turn: why its work may no longer land. */
  readonly refusal: () => string | undefined;
  /** Asked when the changed files are known: why they may not be changed. */
  readonly permit: (files: readonly string[]) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** What became of the work of an isolated child. */
export interface LandedWork {
  /** Appended to its result. */
  readonly text: string;
  /** `kept`: some changes did not land. */
  readonly outcome: "landed" | "nothing" | "kept";
  /** What the child has to fix; it gets one more try. */
  readonly again?: string | undefined;
  /** Where its changes are, unless they are in the parent's files. */
  readonly work?: KeptWork | undefined;
}

/** A kind of agent, as its file describes it. */
export interface AgentType {
  readonly name: string;
  /** Other names that callers may use for it. */
  readonly aliases?: readonly string[] | undefined;
  readonly description: string;
  /** Where it comes from, for the user. */
  readonly source: string;
  /** The first part of what the child is told about its work. */
  readonly prompt: string;
  /** Which of its parent's tools it has; all when absent. */
  readonly allows?:
    | ((tool: Pick<ToolDef, "name" | "tier" | "sessionOnly" | "feature" | "deferrable">) => boolean)
    | undefined;
  /** The kinds of agents that it may start itself; none when absent. */
  readonly spawns?: Spawns | undefined;
  /** Passed to `profileFor`; its parent's model when absent. */
  readonly model?: string | undefined;
  /** The schema that its output must fit. */
  readonly output?: JsonSchema | undefined;
  /** True if the caller that starts it waits for it. */
  readonly blocking?: boolean | undefined;
  /** How its tools show files, if different from its parent's. */
  readonly reading?: ReadingOptions | undefined;
  readonly budget?: BudgetConfig | undefined;
  readonly isolation?: string | undefined;
  /** A command that decides whether its work may land. */
  readonly verify?: string | undefined;
  /** Added to its parent's middleware: it may narrow what is permitted, never widen it. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * The program that answers instead of the session's models, if the agent is a program of its own. Called for each
   * session of a child.
   */
  readonly engine?: ((place: EnginePlace) => AgentEngine) | undefined;
}

/** Where a program works that answers instead of a model. */
export interface EnginePlace {
  readonly agentId: string;
  readonly env: ExecutionEnvironment;
}

/** A program that answers instead of a model. What it does to files and commands are calls of these tools. */
export interface AgentEngine {
  readonly client: Pick<RoutingClient, "complete" | "stream">;
  readonly tools: readonly SessionTool[];
  /** Called when its session has ended. */
  close(): Promise<void>;
}

/** A batch that the host starts itself, without the model: it may confine the agents further, and it waits for them. */
export interface HostBatch extends BatchRequest {
  /**
   * Where they work; in the session's environment when absent. When the host closes it, they can no longer be revived.
   */
  readonly env?: ExecutionEnvironment | undefined;
  /** Narrows the kind for this batch. */
  readonly narrow: (type: AgentType) => AgentType;
}

/** The child agents of a session, for its host. */
export interface HostSubagents extends SubagentService {
  spawnForHost(request: HostBatch): Promise<BatchReport>;
}

/** Which kinds of agents may be started: any, or these. */
export type Spawns = "*" | readonly string[];

/** What a child has instead of its parent's settings. */
export interface AgentRole {
  readonly profile?: Profile | undefined;
  /** The last part of the system prompt. */
  readonly prompt?: string | undefined;
  /** The host's tools for the child. */
  readonly tools?: readonly SessionTool[] | undefined;
}

/** What the manager needs from a child's session. */
export interface ChildSession {
  readonly usage: Spent;
  readonly spent: Amounts;
  readonly config: { budget: BudgetConfig; maxTurns: number };
  readonly profile: Profile;
  readonly contextTokens: number;
  readonly journal: Journal;
  readonly mailbox: Mailbox;
  submit(content: InputContent): Promise<InputOutcome>;
  /** Runs the queued messages as an input. */
  runQueued(): Promise<InputOutcome>;
  steer(content: InputContent, source?: MessageSource): string;
  interrupt(): Promise<void>;
  close(): Promise<void>;
  readonly hasUnfinishedInput: boolean;
  abandonUnfinishedInput(): void;
  forceToolChoice(choice: ToolChoice): void;
  endInput(): void;
  lastText(): string;
  answerApproval(callId: string, answer: ApprovalAnswer, agentId?: string): boolean;
  readonly beside: {
    /** Asks whether its work may land; see `LandingWish.permit`. */
    permitLanding(landing: LandingCall, signal: AbortSignal): Promise<string | undefined>;
  };
}

/** What a landing does, for permissions to judge. */
export interface LandingCall {
  readonly agentId: string;
  readonly files: readonly string[];
  readonly verify: string | undefined;
}
