// What the agent tools answer about a child, read back for their cards.

import type { JsonObject } from "@lathe/llm";

export interface ChildReport {
  readonly agentId?: string;
  readonly status?: string;
  readonly output?: string;
  readonly success?: boolean;
  readonly turnsUsed?: number;
}

/** Undefined when the text is no such answer. */
export function childIn(text: string): ChildReport | undefined {
  const report = parseReport(text);
  if (!report) return undefined;
  const { agent_id, status, output, success, turns_used } = report;
  return {
    ...(typeof agent_id === "string" ? { agentId: agent_id } : {}),
    ...(typeof status === "string" ? { status } : {}),
    ...(typeof output === "string" ? { output } : {}),
    ...(typeof success === "boolean" ? { success } : {}),
    ...(typeof turns_used === "number" ? { turnsUsed: turns_used } : {}),
  };
}

function parseReport(text: string): JsonObject | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined; // an answer that was truncated for the model
  }
}
