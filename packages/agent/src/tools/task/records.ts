// What a batch gave, as hosts read it: one record for each agent, and their sums.

import type { JsonValue } from "@lathe/llm";
import type { AgentReport, BatchReport } from "../../contract/subagents.ts";
import type { ToolResult } from "../../contract/tool.ts";

/** Of an output, in a record; the whole of it is at `agent://`. */
const MOST_BYTES = 500_000;
const MOST_LINES = 5_000;

export function factsOf({ started, failed }: BatchReport): Omit<ToolResult, "content"> {
  const isError = started.length === 0 || (failed.length === 0 && started.every(({ status }) => status === "failed"));
  const sum = (of: (report: AgentReport) => number | undefined): number =>
    started.reduce((total, report) => total + (of(report) ?? 0), 0);
  return {
    details: {
      agents: started.map(recordOf),
      failed: failed as unknown as JsonValue,
      usage: { tokens: sum(({ tokens }) => tokens), requests: sum(({ turnsUsed }) => turnsUsed) },
      // They work side by side.
      totalDurationMs: Math.max(0, ...started.map(({ durationMs = 0 }) => durationMs)),
      outputPaths: started.filter(hasEnded).map(({ agentId }) => `agent://${agentId}`),
    },
    isError,
    effects: "done",
  };
}

const hasEnded = ({ status }: AgentReport): boolean => status !== "running";

function recordOf(report: AgentReport, index: number): JsonValue {
  const { agentId, status, state, output, findings } = report;
  const isAborted = state === "aborted";
  const why = output.split("\n", 1)[0] ?? "";
  const kept = beginningOf(output);
  const all = {
    index,
    id: agentId,
    agent: report.agent,
    agentSource: report.source,
    description: report.description,
    assignment: report.assignment,
    status,
    state,
    exitCode: status === "failed" ? 1 : status === "completed" ? 0 : undefined,
    error: status === "failed" ? why : undefined,
    aborted: isAborted || undefined,
    abortReason: isAborted ? why : undefined,
    output: kept,
    // An agent has one stream of words; what its commands print is part of its transcript.
    stderr: hasEnded(report) ? "" : undefined,
    truncated: hasEnded(report) ? kept.length < output.length : undefined,
    requests: report.turnsUsed,
    durationMs: report.durationMs,
    tokens: report.tokens,
    contextTokens: report.contextTokens,
    contextWindow: report.contextWindow,
    outputPath: hasEnded(report) ? `agent://${agentId}` : undefined,
    extractedToolData: findings && { report_finding: findings },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonValue;
}

function beginningOf(output: string): string {
  const lines = output.split("\n", MOST_LINES + 1);
  const text = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join("\n") : output;
  if (text.length * 3 <= MOST_BYTES || Buffer.byteLength(text) <= MOST_BYTES) return text;
  // A letter that is cut in two is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, MOST_BYTES), { stream: true });
}
