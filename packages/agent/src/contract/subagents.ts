// Child agents as tools see them.

export type AgentStatus = "running" | "completed" | "failed";

export interface SpawnRequest {
  readonly task: string;
  readonly callId: string;
  readonly workingDir?: string;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly role?: string;
}

export interface AgentReport {
  readonly agentId: string;
  readonly status: AgentStatus;
  /** Last text of the child, or why it failed. */
  readonly output: string;
  readonly turnsUsed: number;
}

export interface SubagentService {
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
