// Reads the report about a child back from the text of an agent tool, for its card.

import { isJsonObject, parseJson } from "@lathe/llm";

export interface ChildReport {
  readonly agentId?: string;
  readonly status?: string;
  readonly output?: string;
  readonly success?: boolean;
  readonly turnsUsed?: number;
}

/** Undefined if the text is no such report or was truncated for the model. */
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
