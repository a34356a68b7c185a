// The answer to a prompt: why the work ended and how many tokens it used.

import type { PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import type { InputOutcome } from "@lathe/agent";
import { CliError, EXIT } from "../../platform/usage/exit.ts";

const STOPPED: Readonly<
  Record<Exclude<InputOutcome["reason"], "completed" | "error" | "context_overflow">, StopReason>
> = {
  interrupted: "cancelled",
  aborted: "cancelled",
  round_limit: "max_turn_requests",
  turn_limit: "max_turn_requests",
  budget: "max_turn_requests",
};

/** Throws if the protocol wants an error instead of an answer. */
export function responseTo({ reason, finish, usage, error }: InputOutcome): PromptResponse {
  if (reason === "error") throw new CliError(EXIT.provider, error?.message ?? "The model could not answer.");
  if (reason === "context_overflow")
    throw new CliError(
      EXIT.failed,
      "The conversation no longer fits into the model. Send /compact, or start a new session.",
    );
  const answered = finish === "length" ? "max_tokens" : finish === "content_filter" ? "refusal" : "end_turn";
  return {
    stopReason: reason === "completed" ? answered : STOPPED[reason],
    usage: {
      totalTokens: usage.totalTokens,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      ...(usage.reasoningTokens === undefined ? {} : { thoughtTokens: usage.reasoningTokens }),
      ...(usage.cacheReadTokens === undefined ? {} : { cachedReadTokens: usage.cacheReadTokens }),
      ...(usage.cacheWriteTokens === undefined ? {} : { cachedWriteTokens: usage.cacheWriteTokens }),
    },
  };
}
