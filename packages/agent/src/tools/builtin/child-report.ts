// What the agent tools answer about a child, read back for their cards.

import { isJsonObject, parseJson } from "@lathe/llm";

export interface ChildReport {
  readonly agentId?: string;
  readonly status?: string;
  readonly output?: string;
  readonly success?: boolean;
  readonly turnsUsed?: number;
}

/** Undefined when the text is no such answer, or one that was truncated for the model. */
export function childIn(text: string): ChildReport | undefined {
  const report = parseJson(text);
  if (!isJsonObject(report)) return undefined;
  const { agent_id, status, output, success, turns_used } = report;
  return {
    ...(typeof agent_id === "string" ? { agentId: agent_id } : {}),
    ...(typeof status === "string" ? { status } : {}),
    ...(typeof output === "string" ? { output } : {}),
    ...(typeof success === "boolean" ? { success } : {}),
    ...(typeof turns_used === "number" ? { turnsUsed: turns_used } : {}),
  };
}
