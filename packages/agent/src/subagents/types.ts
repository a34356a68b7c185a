// Child agents as the session and the four tools see them.

import type { Journal } from "../journal/journal.ts";
import type { Profile } from "../profiles/types.ts";
import type { BudgetConfig } from "../session/config.ts";

export type AgentStatus = "running" | "completed" | "failed";

export interface ChildHeader {
  readonly agentId: string;
  readonly parentSession: string;
  readonly parentCall: string;
  readonly cwd: string;
}

export interface SubagentOptions {
  /** Opens a child's own journal: a new one, or the one that an earlier run left. In memory when absent. */
  readonly journal?: (header: ChildHeader) => Journal;
  /** The profile for a model that a spawn asks for; children use the parent's when absent. */
  readonly profileFor?: (model: string) => Profile | undefined;
  /** What a child gets unless the spawn says otherwise. */
  readonly budget?: BudgetConfig;
}

export interface SpawnRequest {
  readonly task: string;
  readonly callId: string;
  readonly workingDir?: string;
  readonly model?: string;
  readonly maxTurns?: number;
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

declare module "../contract/tool.ts" {
  interface ToolServices {
    readonly subagents?: SubagentService;
  }
}
