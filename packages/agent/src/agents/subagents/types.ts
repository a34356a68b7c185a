// Child agents as hosts and their sessions see them: what a host gives, and what each side needs of the other.

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
  /** Opens a child's own journal: a new one, or the one that an earlier run left. In memory when absent. */
  readonly journal?: ((header: ChildHeader) => Journal) | undefined;
  /** The profile for a model that a spawn asks for; children use the parent's when absent. */
  readonly profileFor?: (model: string) => Profile | undefined;
  /** What a child gets unless the spawn says otherwise. */
  readonly budget?: BudgetConfig | undefined;
  /** The kinds of agents that there are now; asked for each spawn. None when absent. */
  readonly types?: (() => Promise<readonly AgentType[]>) | undefined;
  /** Why agents of this kind may not be started, whichever caller asks. */
  readonly refusal?: ((agent: string) => string | undefined) | undefined;
  /** Read when it is needed: a change takes effect with the next child. */
  readonly limits?: (() => AgentLimits) | undefined;
  /** What a child without a role of its own is like now; plain when absent. */
  readonly defaultRole?: (() => AgentRole | undefined) | undefined;
  /** The session and its agents can send each other messages. */
  readonly irc?: IrcOptions | undefined;
  /** Gives an isolated child an environment of its own, and lands its work when it has ended. Absent: no child is isolated. */
  readonly isolate?: ((child: IsolationRequest) => Promise<Isolation>) | undefined;
  /** The session works apart itself: its children work in its copy, and their work lands with its own. */
  readonly isApart?: boolean | undefined;
  /** The run is recorded or replayed: what comes at intervals of its own, such as progress, would come at other moments the next time. */
  readonly isTaped?: boolean | undefined;
  /** Keeps the whole output of a child as a file, and says where. */
  readonly keepOutput?: ((agentId: string, output: string) => string) | undefined;
  /** What became of the work of an isolated child that was cut off in an earlier process. */
  readonly leftBy?: ((agentId: string) => string | undefined) | undefined;
}

/** How the agents of a session send each other messages. */
export interface IrcOptions {
  /** How long a call waits for a message unless it says so; 0: without a limit. 120 s when absent or no time. */
  readonly timeoutMs?: (() => number) | undefined;
}

/** 0 or absent: no limit. */
export interface AgentLimits {
  /** Children that work at a time; read once. */
  readonly concurrency?: number | undefined;
  /** One input of a child may take this long. */
  readonly runMs?: number | undefined;
  /** After this many requests a child is asked to wrap up; after twice as many it is stopped. */
  readonly requests?: number | undefined;
  /** How long a child without work keeps its session. */
  readonly idleMs?: number | undefined;
}

/** A child that is to work apart from its parent's files. */
export interface IsolationRequest {
  readonly agentId: string;
  readonly type: AgentType | undefined;
  /** A command that decides whether its work may land. */
  readonly verify: string | undefined;
  /** For people: what it works on. */
  readonly task: string;
  /** The parent's environment. */
  readonly env: ExecutionEnvironment;
  /** Where its parent looks up conflicts by their numbers. */
  readonly conflicts: Conflicts | undefined;
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/** Where such a child works. */
export interface Isolation {
  readonly env: ExecutionEnvironment;
  /** For people: the kind of view that was taken. */
  readonly kind?: string | undefined;
  /**
   * Its input has ended. Asked a second time when the child was sent back to work. Children end side by side: the host lands one at a
   * time and asks `refusal` when the turn of this one has come, else several of a race land.
   */
  land(wish: LandingWish): Promise<LandedWork>;
  /** How its run ended is recorded: nothing of it is needed any more. `toldBy`: the message that tells its parent of it, if one does. */
  close(toldBy?: string): Promise<void>;
}

/** An input of an isolated child has ended. */
export interface LandingWish {
  /** Else nothing lands. */
  readonly isDone: boolean;
  /** The child cannot be sent back to work. */
  readonly isLast: boolean;
  /** Asked when its turn has come: why it may no longer land. */
  readonly refusal: () => string | undefined;
  /** Asked when it is known which files would change: why they may not. */
  readonly permit: (files: readonly string[]) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** What became of the work of an isolated child. */
export interface LandedWork {
  /** Is added to its result. */
  readonly text: string;
  /** `kept`: something was changed that did not land. */
  readonly outcome: "landed" | "nothing" | "kept";
  /** What the child has to fix; it gets one more try. */
  readonly again?: string | undefined;
  /** Where what it changed is, unless it is in the parent's files. */
  readonly work?: KeptWork | undefined;
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
  readonly allows?:
    | ((tool: Pick<ToolDef, "name" | "tier" | "sessionOnly" | "feature" | "deferrable">) => boolean)
    | undefined;
  /** The kinds of agents that it may start itself; none when absent. */
  readonly spawns?: Spawns | undefined;
  /** For `profileFor`; its parent's model when absent. */
  readonly model?: string | undefined;
  /** What its output must fit. */
  readonly output?: JsonSchema | undefined;
  /** The caller that starts it waits for it. */
  readonly blocking?: boolean | undefined;
  /** How its tools show files, where that differs from its parent's. */
  readonly reading?: ReadingOptions | undefined;
  readonly budget?: BudgetConfig | undefined;
  readonly isolation?: string | undefined;
  /** A command that decides whether its work may land. */
  readonly verify?: string | undefined;
  /** Besides its parent's: it may narrow what is permitted, never widen it. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What answers in the place of the session's models, where the agent is a program of its own. Asked for each session of a child. */
  readonly engine?: ((place: EnginePlace) => AgentEngine) | undefined;
}

/** Where a program that answers in the place of a model works. */
export interface EnginePlace {
  readonly agentId: string;
  readonly env: ExecutionEnvironment;
}

/** A program that answers in the place of a model. What it does to files and commands are calls of these tools. */
export interface AgentEngine {
  readonly client: Pick<RoutingClient, "complete" | "stream">;
  readonly tools: readonly SessionTool[];
  /** Its session has ended. */
  close(): Promise<void>;
}

/** A batch that the host starts for itself, not the model: it may confine the agents further, and it waits for them. */
export interface HostBatch extends BatchRequest {
  /** Where they work; in the session's environment when absent. The host closes it, and with it they cannot be revived. */
  readonly env?: ExecutionEnvironment | undefined;
  /** What the kind becomes for this batch. */
  readonly narrow: (type: AgentType) => AgentType;
}

/** The child agents of a session, for its host. */
export interface HostSubagents extends SubagentService {
  spawnForHost(request: HostBatch): Promise<BatchReport>;
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
  readonly usage: Spent;
  readonly spent: Amounts;
  readonly config: { budget: BudgetConfig; maxTurns: number };
  readonly profile: Profile;
  readonly contextTokens: number;
  readonly journal: Journal;
  readonly mailbox: Mailbox;
  submit(content: InputContent): Promise<InputOutcome>;
  /** An input of what waits in the queue. */
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
    /** Whether its work may land; see `LandingWish.permit`. */
    permitLanding(landing: LandingCall, signal: AbortSignal): Promise<string | undefined>;
  };
}

/** What a landing does, as permissions judge it. */
export interface LandingCall {
  readonly agentId: string;
  readonly files: readonly string[];
  readonly verify: string | undefined;
}
