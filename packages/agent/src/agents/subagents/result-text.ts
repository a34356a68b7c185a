// How a parent learns that a child has ended.

import { escapeFrames } from "../../base/text/unframed.ts";
import { truncateOutput } from "../../base/truncate/truncate.ts";
import type { AgentReport } from "../../contract/subagents.ts";

/** How much of the output is shown; the whole of it is at the agent's address. */
const PREVIEW = { chars: 5_000, mode: "head_tail" } as const;

export function resultText(report: AgentReport): string {
  const { agentId, agent, status, state, output, findings = [], isIsolated = false } = report;
  const shown = truncateOutput(output, PREVIEW);
  const lines = [shown === "" ? "(no output)" : shown];
  if (findings.length > 0) lines.push(`[${findings.length} findings: ${JSON.stringify(findings)}]`);
  if (shown !== output) lines.push(`[The whole output is at agent://${agentId}]`);
  lines.push(
    state === "aborted" || isIsolated
      ? `[${agentId} has ended for good; its transcript is at history://${agentId}]`
      : `[${agentId} is ${state} and takes further messages; its transcript is at history://${agentId}]`,
  );
  const kind = agent === undefined ? "" : ` agent="${agent}"`;
  return `<agent_result id="${agentId}"${kind} status="${status}">\n${escapeFrames(lines.join("\n"))}\n</agent_result>`;
}
