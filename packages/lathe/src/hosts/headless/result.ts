// The last line of a JSON run, which a named run also keeps. Its schema is published: schemas/result.json.

import type { WorkVerdict } from "@lathe/agent/contract";
import type { JsonValue, Usage } from "@lathe/llm";
import type { Settled } from "../../config/workspace/run-view.ts";
import type { DeniedCall } from "../../found/permissions/permissions.ts";
import type { ExitCode } from "../../platform/usage/exit.ts";
import type { RunOutcome, RunStatus } from "./outcome.ts";
import type { RunReport } from "./run-prompts.ts";

export interface RunResult {
  readonly type: "result";
  readonly status: RunStatus | "usage_error";
  readonly exitCode: number;
  readonly text: string;
  /** The answer as a value, if a schema was requested and met. */
  readonly output?: JsonValue;
  readonly usage: ResultUsage;
  /** In US dollars. */
  readonly cost: number;
  readonly sessionId: string | null;
  readonly denied: readonly DeniedCall[];
  /** Whether checks have proven the work; `none` without checks. */
  readonly verification: WorkVerdict;
  readonly verificationReasons: readonly string[];
  readonly error?: string;
  /** What happened to the changes of a run with --worktree. */
  readonly worktree?: ResultWorktree;
}

interface ResultWorktree extends Omit<Settled, "how" | "message"> {
  readonly id: string;
}

/** Token counts that mean the same for every vendor; see docs/context.md. */
export interface ResultUsage {
  /** All tokens that models read, cached or not. */
  readonly inputTokens: number;
  /** All tokens that models generated, including thinking. */
  readonly outputTokens: number;
  /** The sum of both. */
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

export function resultOf(
  outcome: RunOutcome,
  report: Pick<RunReport, "text" | "usage" | "cost" | "denied" | "output" | "verification">,
  sessionId: string | null,
): RunResult {
  return {
    type: "result",
    status: outcome.status,
    exitCode: outcome.exitCode,
    text: report.text,
    ...(report.output === undefined ? {} : { output: report.output }),
    usage: plainUsage(report.usage),
    cost: report.cost,
    sessionId,
    denied: report.denied,
    verification: report.verification?.verdict ?? "none",
    verificationReasons: report.verification?.reasons ?? [],
    ...(outcome.message === undefined ? {} : { error: outcome.message }),
  };
}

/** Checks a value from a journal, which may contain anything. */
export function isRunResult(value: unknown): value is RunResult {
  const { type, status, exitCode, text, usage, cost, denied, error } = (value ?? {}) as Record<string, unknown>;
  return (
    type === "result" &&
    typeof status === "string" &&
    typeof exitCode === "number" &&
    Object.hasOwn(STATUS_OF, exitCode) &&
    typeof text === "string" &&
    typeof usage === "object" &&
    typeof cost === "number" &&
    Array.isArray(denied) &&
    (error === undefined || typeof error === "string")
  );
}

const STATUS_OF: Readonly<Record<ExitCode, RunResult["status"]>> = {
  0: "done",
  1: "failed",
  2: "usage_error",
  3: "provider_error",
  4: "denied",
  5: "budget",
  6: "question",
  70: "internal_error",
  130: "interrupted",
};

/** The result of a run that ended before there was a session. */
export function failedResult(exitCode: ExitCode, error: string): RunResult {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const status = STATUS_OF[exitCode];
  return {
    ...{ type: "result", status, exitCode, text: "", usage, cost: 0, sessionId: null, denied: [] },
    ...{ verification: "none", verificationReasons: [], error },
  };
}

export function plainUsage({
  inputTokens,
  outputTokens,
  totalTokens,
  reasoningTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Usage): ResultUsage {
  return {
    inputTokens,
    outputTokens,
    totalTokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
