// The results of a batch for hosts: one record for each agent, and totals.

import type { JsonValue } from "@lathe/llm";
import type { AgentReport, BatchReport } from "../../../contract/subagents.ts";
import type { ToolResult } from "../../../contract/tool.ts";

/** How much of an output a record contains; the whole of it is at `agent://`. */
export interface RecordLimits {
  /** 500,000 when absent. */
  readonly bytes?: number | undefined;
  /** 5,000 when absent. */
  readonly lines?: number | undefined;
}

export function factsOf({ started, failed }: BatchReport, limits: RecordLimits = {}): Omit<ToolResult, "content"> {
  const isError = started.length === 0 || (failed.length === 0 && started.every(({ status }) => status === "failed"));
  const sum = (of: (report: AgentReport) => number | undefined): number =>
    started.reduce((total, report) => total + (of(report) ?? 0), 0);
  return {
    details: {
      agents: started.map((report, index) => recordOf(report, index, limits)),
      failed: failed as unknown as JsonValue,
      usage: { tokens: sum(({ tokens }) => tokens), requests: sum(({ turnsUsed }) => turnsUsed) },
      // The agents work in parallel.
      totalDurationMs: Math.max(0, ...started.map(({ durationMs = 0 }) => durationMs)),
      outputPaths: started.filter(hasEnded).map(pathOf),
    },
    isError,
    effects: "done",
  };
}

const pathOf = ({ agentId, outputPath }: AgentReport): string => outputPath ?? `agent://${agentId}`;

const hasEnded = ({ status }: AgentReport): boolean => status !== "running";

function recordOf(report: AgentReport, index: number, limits: RecordLimits): JsonValue {
  const { agentId, status, state, output, findings } = report;
  const isAborted = state === "aborted";
  const why = output.split("\n", 1)[0] ?? "";
  const kept = beginningOf(output, limits);
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
    retryFailure: report.retryFailure && { ...report.retryFailure },
    output: kept,
    stderr: hasEnded(report) ? (report.stderr ?? "") : undefined,
    truncated: hasEnded(report) ? kept.length < output.length : undefined,
    requests: report.turnsUsed,
    durationMs: report.durationMs,
    tokens: report.tokens,
    contextTokens: report.contextTokens,
    contextWindow: report.contextWindow,
    outputPath: hasEnded(report) ? pathOf(report) : undefined,
    patchPath: report.work?.patchPath,
    branchName: report.work?.branchName,
    nestedPatches: report.work?.nestedPatches,
    extractedToolData: findings && { report_finding: findings },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonValue;
}

function beginningOf(output: string, { bytes: mostBytes = 500_000, lines: mostLines = 5_000 }: RecordLimits): string {
  const lines = output.split("\n", mostLines + 1);
  const text = lines.length > mostLines ? lines.slice(0, mostLines).join("\n") : output;
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) return text;
  // Drops a character that was cut in two.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, mostBytes), { stream: true });
}
