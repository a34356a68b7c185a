// One input while it runs, and how it ended.

import type { Usage } from "@lathe/llm";
import type { AwaitedInput, EndReason, InputError } from "../contract/events/types.ts";
import type { Verification } from "../contract/verification.ts";
import type { FailureStreak, SameRounds } from "./loop-detection.ts";
import type { OutputCheck } from "./output/output-check.ts";

/** One input, from its user message to processing_end. */
export interface InputRun {
  /** The id of the user entry that began it. */
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
  /** The question to the user that ends the input after this round. */
  awaits: AwaitedInput | undefined;
  /** How often in a row the same call has failed. */
  readonly failures: FailureStreak;
  readonly sameRounds: SameRounds;
  /** Set when the input has ended. */
  verification?: Verification | undefined;
  /** A call reported that the work is done: the input ends after this round. */
  isDone: boolean;
  /** A call was refused because of the limit: the input ends after this round. */
  refusedCalls: boolean;
  /** The check of the answer, if it must be data that fits a schema. */
  output: OutputCheck | undefined;
}

export interface InputEnd {
  readonly reason: EndReason;
  readonly error?: InputError;
}
