// The last line of every JSON run, as published. The compiler checks that this type and the run's own are the same.

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
  /** The answer as a value, if a schema was requested and met. */
  output: optional(anything() as Schema<NonNullable<RunResult["output"]>>),
  usage: wireUsage,
  /** In US dollars. */
  cost: number(),
  sessionId: orNull(text()),
  denied: listOf(object({ callId: text(), tool: text(), reason: text() })),
  /** Whether checks have proven the work, and the reasons if they have not. */
  verification: choice(["verified", "failed", "unverified", "none"]),
  verificationReasons: listOf(text()),
  error: optional(text()),
  /** What happened to the changes of a run with --worktree. */
  worktree: optional(object(settledFields)),
});
