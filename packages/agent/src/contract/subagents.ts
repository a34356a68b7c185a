// Child agents as tools see them.

import type { JsonObject, JsonValue } from "@lathe/llm";

/** How the last input of a child agent ended, or that it has not. */
export type AgentStatus = "running" | "completed" | "failed";

/**
 * Where a child agent is in its life: at work; done and at hand; done, with nothing left of it but its journal; or ended for good.
 * A message to an idle or parked agent sets it to work again.
 */
export type AgentState = "running" | "idle" | "parked" | "aborted";

/** The task for a new child agent, and what it may use. */
export interface SpawnRequest {
  readonly task: string;
  readonly callId: string;
  readonly workingDir?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** The kind of agent; a plain child when absent. */
  readonly agent?: string | undefined;
  /** The name that the child should have. */
  readonly id?: string | undefined;
  /** What its output must fit, in place of what its kind says. */
  readonly schema?: JsonObject | undefined;
}

/** One of several tasks that are given out together. */
export interface BatchTask {
  /** The name that the child should have. */
  readonly id?: string | undefined;
  /** A few words for people. */
  readonly description?: string | undefined;
  readonly assignment: string;
  readonly isolated?: boolean | undefined;
}

/** Tasks for agents of one kind, which work side by side. */
export interface BatchRequest {
  readonly callId: string;
  readonly agent: string;
  /** What all of them should know. */
  readonly context?: string | undefined;
  readonly tasks: readonly BatchTask[];
  /** So many agents work on the one task, and the first whose work passes the check lands. */
  readonly race?: number | undefined;
  /** The check of a race; its kind's when absent. */
  readonly verify?: string | undefined;
}

/** What a batch has started. */
export interface BatchReport {
  readonly started: readonly AgentReport[];
  /** Agents that could not be started, by the id that they would have had. */
  readonly failed: readonly { readonly agentId: string; readonly why: string }[];
  /** Each result reaches the session as a message of its own; else the caller waits for the agents. */
  readonly isReported: boolean;
}

/** How often a request was tried, and why it failed at last. */
export interface RetryFailure {
  readonly attempts: number;
  readonly message: string;
}

/** What an isolated agent left instead of changes in its parent's files. */
export interface KeptWork {
  /** A file with all of its changes. */
  readonly patchPath?: string | undefined;
  readonly branchName?: string | undefined;
  /** The part of the patch that belongs to a repository inside the project: its folder, and a file with that part. */
  readonly nestedPatches?: readonly { readonly path: string; readonly patchPath: string }[] | undefined;
}

/** The state of a child agent. */
export interface AgentReport {
  readonly agentId: string;
  readonly status: AgentStatus;
  readonly state: AgentState;
  /** What it yielded, else its last text; or why it failed. */
  readonly output: string;
  readonly turnsUsed: number;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** It worked on a copy of the files, for one input. */
  readonly isIsolated?: boolean | undefined;
  /** What it reported with `report_finding`, in the order in which it did. */
  readonly findings?: readonly JsonValue[] | undefined;
  /** It had to call `yield` and never did: `output` is only its last text. */
  readonly hasNotYielded?: boolean | undefined;
  /** Warnings and errors of its session, a line each. */
  readonly stderr?: string | undefined;
  /** It gave up after trying again. */
  readonly retryFailure?: RetryFailure | undefined;
  /** The file with the whole output; absent where the session keeps no files. */
  readonly outputPath?: string | undefined;
  /** Where its work is that is not in the parent's files. */
  readonly work?: KeptWork | undefined;
  readonly durationMs?: number | undefined;
  readonly tokens?: number | undefined;
  /** Where its kind comes from, for people. */
  readonly source?: string | undefined;
  /** The beginning of its assignment. */
  readonly assignment?: string | undefined;
  /** The tokens of its last request, where they are known. */
  readonly contextTokens?: number | undefined;
  readonly contextWindow?: number | undefined;
}

/** One of all agents of a session, agents of agents included, as people and programs see it. */
export interface AgentOverview {
  readonly agentId: string;
  /** The agent that started it; the session itself when absent. */
  readonly parentId?: string | undefined;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** The beginning of its assignment. */
  readonly assignment: string;
  /** The kind of view that an isolated one works in. */
  readonly view?: string | undefined;
  readonly state: AgentState;
  readonly status: AgentStatus;
  /** Its session and what it started itself, since its first input. US dollars. */
  readonly cost: number;
  readonly tokens: number;
  readonly requests: number;
  /** What it does now, in a few words; "" when it is not at work. */
  readonly doing: string;
  /** The end of what it said and its tools printed: 8 lines within 8 KiB. */
  readonly tail: readonly string[];
  /** Messages of other agents that it has not read. */
  readonly unread: number;
  /** When its last input began, in milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** What became of a message to an agent: it steers the present input, or begins another one. */
export interface SendReceipt {
  readonly how: "steered" | "continued" | "revived";
  readonly agent: AgentOverview;
}

/** All agents of a session: those that it started, and those that they started. */
export interface AgentDirectory {
  /** Finds agents that agents started in an earlier process: they are in the journals of those, which are read once. */
  load(): Promise<void>;
  /** As a tree: below each agent those that it started, in the order in which it did. */
  list(): readonly AgentOverview[];
  /** How many are at work. */
  readonly running: number;
  /** One that is at work is steered; one that is not gets another input. */
  send(agentId: string, message: string): Promise<SendReceipt>;
  /** Ends the present input; a message sets the agent to work again. */
  stop(agentId: string): Promise<AgentOverview>;
  /** Ends the present inputs of all agents that are at work, agents of agents included. */
  stopAll(): Promise<readonly AgentOverview[]>;
  /** Opens the session of a parked agent again, without work for it. */
  revive(agentId: string): Promise<AgentOverview>;
  /** What the last input gave; "" while there is none. */
  outputOf(agentId: string): string;
}

/** Starts, steers, awaits and ends the child agents of a session. */
export interface SubagentService {
  /** All children so far, in the order in which they were started. */
  list(): readonly AgentReport[];
  spawn(request: SpawnRequest): Promise<AgentReport>;
  /** Starts what it can; what is wrong with the whole batch is an error. */
  spawnBatch(request: BatchRequest): Promise<BatchReport>;
  send(agentId: string, message: string, callId: string): Promise<AgentReport>;
  /** Resolves when the child has ended its input; the signal only ends the waiting. */
  wait(agentId: string, signal: AbortSignal): Promise<AgentReport>;
  close(agentId: string): Promise<AgentReport>;
  /** The agents of the whole session, wherever in it this is. */
  readonly directory: AgentDirectory;
  /** The result as the model reads it. */
  textOf(report: AgentReport): string;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly subagents?: SubagentService;
  }
}
