// Child agents as tools see them.

import type { JsonObject, JsonValue } from "@lathe/llm";

/** How the last input of a child agent ended, or that it is still running. */
export type AgentStatus = "running" | "completed" | "failed";

/**
 * The state of a child agent: running; done and still loaded; done, with only its journal left; or ended for good. A
 * message to an idle or parked agent wakes it.
 */
export type AgentState = "running" | "idle" | "parked" | "aborted";

/** The task for a new child agent, and what it may use. */
export interface SpawnRequest {
  readonly task: string;
  readonly callId: string;
  readonly workingDir?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  /** The requested name of the child. */
  readonly id?: string | undefined;
  /** The schema of its output, instead of the one its kind defines. */
  readonly schema?: JsonObject | undefined;
}

/** One of several tasks that are started together. */
export interface BatchTask {
  /** The requested name of the child. */
  readonly id?: string | undefined;
  /** A few words, for display. */
  readonly description?: string | undefined;
  readonly assignment: string;
  readonly isolated?: boolean | undefined;
}

/** Tasks for agents of one kind that work in parallel. */
export interface BatchRequest {
  readonly callId: string;
  readonly agent: string;
  /** Context that all of them get. */
  readonly context?: string | undefined;
  readonly tasks: readonly BatchTask[];
  /** Number of agents that work on the same task; the first whose work passes the check is applied. */
  readonly race?: number | undefined;
  /** The check of a race; absent for the check of the agent's kind. */
  readonly verify?: string | undefined;
}

/** The agents that a batch has started. */
export interface BatchReport {
  readonly started: readonly AgentReport[];
  /** Agents that could not be started, by the id they would have had. */
  readonly failed: readonly { readonly agentId: string; readonly why: string }[];
  /** Each result reaches the session as a separate message; otherwise the caller waits for the agents. */
  readonly isReported: boolean;
}

/** The number of attempts of a request, and why the last one failed. */
export interface RetryFailure {
  readonly attempts: number;
  readonly message: string;
}

/** The work of an isolated agent that was not applied to its parent's files. */
export interface KeptWork {
  /** A patch file with all of its changes. */
  readonly patchPath?: string | undefined;
  readonly branchName?: string | undefined;
  /**
   * The parts of the patch that belong to repositories inside the project: the folder of each, and a file with that
   * part.
   */
  readonly nestedPatches?: readonly { readonly path: string; readonly patchPath: string }[] | undefined;
}

/** The state of a child agent. */
export interface AgentReport {
  readonly agentId: string;
  readonly status: AgentStatus;
  readonly state: AgentState;
  /** What it yielded, otherwise its last text, or why it failed. */
  readonly output: string;
  readonly turnsUsed: number;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** It worked on a copy of the files, for a single input. */
  readonly isIsolated?: boolean | undefined;
  /** What it reported with `report_finding`, in order. */
  readonly findings?: readonly JsonValue[] | undefined;
  /** It was required to call `yield` but did not; `output` is only its last text. */
  readonly hasNotYielded?: boolean | undefined;
  /** Warnings and errors of its session, one per line. */
  readonly stderr?: string | undefined;
  /** It gave up after retries. */
  readonly retryFailure?: RetryFailure | undefined;
  /** The file with the whole output; absent if the session keeps no files. */
  readonly outputPath?: string | undefined;
  /** Its work that is not in the parent's files. */
  readonly work?: KeptWork | undefined;
  readonly durationMs?: number | undefined;
  readonly tokens?: number | undefined;
  /** The source of its kind, for display. */
  readonly source?: string | undefined;
  /** The beginning of its task. */
  readonly assignment?: string | undefined;
  /** The tokens of its last request, if known. */
  readonly contextTokens?: number | undefined;
  readonly contextWindow?: number | undefined;
}

/** An agent of a session, at any depth, as users and programs see it. */
export interface AgentOverview {
  readonly agentId: string;
  /** The agent that started it; absent for the session itself. */
  readonly parentId?: string | undefined;
  /** The kind of agent; absent for a plain child. */
  readonly agent?: string | undefined;
  readonly description?: string | undefined;
  /** The beginning of its task. */
  readonly assignment: string;
  /** The kind of isolated copy it works in, if it is isolated. */
  readonly view?: string | undefined;
  readonly state: AgentState;
  readonly status: AgentStatus;
  /** Cost in US dollars of its session and the agents it started, since its first input. */
  readonly cost: number;
  readonly tokens: number;
  readonly requests: number;
  /** What it is doing now, in a few words; "" if it is not working. */
  readonly doing: string;
  /** The end of its text and of its tools' output: 8 lines, at most 8 KiB. */
  readonly tail: readonly string[];
  /** Number of messages from other agents that it has not read. */
  readonly unread: number;
  /** When its last input began, in milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** What a message to an agent did: it steers the current input, or begins a new one. */
export interface SendReceipt {
  readonly how: "steered" | "continued" | "revived";
  readonly agent: AgentOverview;
}

/** All agents of a session, including those started by agents. */
export interface AgentDirectory {
  /**
   * Finds agents that were started by agents of an earlier process. They are in those agents' journals, which are read
   * once.
   */
  load(): Promise<void>;
  /** As a tree: each agent is followed by those it started, in order. */
  list(): readonly AgentOverview[];
  /** Number of running agents. */
  readonly running: number;
  /** Steers a running agent; gives any other agent a new input. */
  send(agentId: string, message: string): Promise<SendReceipt>;
  /** Ends the current input; a message wakes the agent again. */
  stop(agentId: string): Promise<AgentOverview>;
  /** Ends the current inputs of all running agents, including agents of agents. */
  stopAll(): Promise<readonly AgentOverview[]>;
  /** Reopens the session of a parked agent without giving it work. */
  revive(agentId: string): Promise<AgentOverview>;
  /** The output of the last input; "" if there is none yet. */
  outputOf(agentId: string): string;
}

/** Starts, steers, awaits and ends the child agents of a session. */
export interface SubagentService {
  /** All children so far, in the order in which they were started. */
  list(): readonly AgentReport[];
  spawn(request: SpawnRequest): Promise<AgentReport>;
  /** Starts the agents that it can; throws if the batch as a whole is wrong. */
  spawnBatch(request: BatchRequest): Promise<BatchReport>;
  send(agentId: string, message: string, callId: string): Promise<AgentReport>;
  /** Resolves when the child's input has ended; aborting the signal only ends the wait. */
  wait(agentId: string, signal: AbortSignal): Promise<AgentReport>;
  close(agentId: string): Promise<AgentReport>;
  /** The agents of the whole session, whichever agent this service belongs to. */
  readonly directory: AgentDirectory;
  /** The result in the form the model gets. */
  textOf(report: AgentReport): string;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly subagents?: SubagentService;
  }
}
