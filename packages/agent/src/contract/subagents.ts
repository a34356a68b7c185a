// Child agents as tools see them.

/** Where a child agent is. */
export type AgentStatus = "running" | "completed" | "failed";

/** The task for a new child agent, and what it may use. */
export interface SpawnRequest {
  readonly task: string;
  readonly callId: string;
  readonly workingDir?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly role?: string | undefined;
}

/** The state of a child agent. */
export interface AgentReport {
  readonly agentId: string;
  readonly status: AgentStatus;
  /** Last text of the child, or why it failed. */
  readonly output: string;
  readonly turnsUsed: number;
}

/** Starts, steers, awaits and ends the child agents of a session. */
export interface SubagentService {
  /** All children so far, in the order in which they were started. */
  list(): readonly AgentReport[];
  spawn(request: SpawnRequest): Promise<AgentReport>;
  send(agentId: string, message: string, callId: string): Promise<AgentReport>;
  /** Resolves when the child has ended its input; the signal only ends the waiting. */
  wait(agentId: string, signal: AbortSignal): Promise<AgentReport>;
  close(agentId: string): Promise<AgentReport>;
}

declare module "./tool.ts" {
  interface ToolServices {
    readonly subagents?: SubagentService;
  }
}
