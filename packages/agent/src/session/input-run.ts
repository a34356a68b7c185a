// One input while it runs, and how it ended.

import type { Usage } from "@lathe/llm";
import type { AwaitedInput, EndReason, InputError } from "../contract/events/types.ts";
import type { Verification } from "../contract/verification.ts";
import type { FailureStreak, SameRounds } from "./loop-detection.ts";
import type { OutputCheck } from "./output/output-check.ts";

/** One input, from its user message to processing_end. */
export interface InputRun {
  /** The user entry that began it. */
  entryId: string;
  rounds: number;
  usage: Usage;
  cost: number;
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  /** The text of the last answer. */
  text: string;
  finish: string;
  /** What the user was asked: the input ends with this round. */
  awaits: AwaitedInput | undefined;
  /** The call that failed last, and how often in a row. */
  readonly failures: FailureStreak;
  readonly sameRounds: SameRounds;
  /** Set when it has ended. */
  verification?: Verification | undefined;
  /** A call said that nothing is left to do: the input ends with this round. */
  isDone: boolean;
  /** A call was not run because of the limit: the input ends with this round. */
  refusedCalls: boolean;
  /** The answer must be data that fits a schema. */
  output: OutputCheck | undefined;
}

export interface InputEnd {
  readonly reason: EndReason;
  readonly error?: InputError;
}
