// The line that ends every JSON run, as published. The run's own type and this one are the same; the compiler sees to it.

import {
  anything,
  choice,
  exactly,
  integer,
  listOf,
  number,
  object,
  optional,
  orNull,
  type Schema,
  text,
} from "@lathe/llm/schema";
import type { RunResult } from "../headless/result.ts";
import { wireUsage } from "./usage.ts";
import { settledFields } from "./worktree.ts";

export const wireResult: Schema<RunResult> = object({
  type: exactly("result"),
  status: choice([
    "done",
    "failed",
    "usage_error",
    "provider_error",
    "denied",
    "budget",
    "question",
    "interrupted",
    "internal_error",
  ]),
  exitCode: integer(),
  text: text(),
  /** The answer as a value, when a schema was asked for and met. */
  output: optional(anything() as Schema<NonNullable<RunResult["output"]>>),
  usage: wireUsage,
  /** US dollars. */
  cost: number(),
  sessionId: orNull(text()),
  denied: listOf(object({ callId: text(), tool: text(), reason: text() })),
  /** Whether checks have proven the work, and why it is no better verdict. */
  verification: choice(["verified", "failed", "unverified", "none"]),
  verificationReasons: listOf(text()),
  error: optional(text()),
  /** What became of the changes of a run with --worktree. */
  worktree: optional(object(settledFields)),
});
