// How a run ended, as an exit code, a status word and one line. Pure: made from what the session reported.

import type { EndReason } from "@lathe/agent";
import { EXIT, type ExitCode } from "../cli/exit.ts";
import type { DeniedCall } from "./permissions.ts";

export type RunStatus =
  | "done"
  | "failed"
  | "provider_error"
  | "denied"
  | "budget"
  | "question"
  | "interrupted"
  | "internal_error";

export interface RunFacts {
  readonly reason: EndReason;
  readonly text: string;
  /** Of the last answer. */
  readonly finish: string;
  readonly awaitingInput: boolean;
  readonly denied: readonly DeniedCall[];
  /** `type`: name of the error's class. */
  readonly error?: { readonly message: string; readonly type: string };
}

export interface RunOutcome {
  readonly status: RunStatus;
  readonly exitCode: ExitCode;
  /** For stderr when the run did not simply succeed: what happened and what to do. */
  readonly message?: string;
}

export function outcomeOf(facts: RunFacts): RunOutcome {
  switch (facts.reason) {
    case "interrupted":
    case "aborted":
      return { status: "interrupted", exitCode: EXIT.interrupted, message: "Interrupted. Continue with: lathe -c" };
    case "error":
      return errorOutcome(facts.error);
    case "context_overflow":
      return {
        status: "failed",
        exitCode: EXIT.failed,
        message: "The conversation no longer fits the model's context. Start a new session or choose a larger model.",
      };
    case "budget":
    case "turn_limit":
    case "round_limit":
      return {
        status: "budget",
        exitCode: EXIT.budget,
        message: "A limit of this run was reached. Continue with a higher one: lathe -c",
      };
    case "completed":
      return completed(facts);
  }
}

function completed(facts: RunFacts): RunOutcome {
  if (facts.awaitingInput) {
    return {
      status: "question",
      exitCode: EXIT.question,
      message: 'The agent asked a question. Answer it with: lathe -c "<answer>"',
    };
  }
  if (facts.denied.length > 0) {
    const names = [...new Set(facts.denied.map((call) => call.tool))].join(", ");
    return {
      status: "denied",
      exitCode: EXIT.denied,
      message: `Not allowed without asking: ${names}. Allow it with: --permission-mode full`,
    };
  }
  if (facts.finish === "content_filter") {
    return { status: "failed", exitCode: EXIT.failed, message: "The model refused to answer." };
  }
  if (facts.finish === "length") {
    return {
      status: "failed",
      exitCode: EXIT.failed,
      message: 'The answer was cut at the output limit. Continue with: lathe -c "go on"',
    };
  }
  if (facts.text.trim() === "")
    return { status: "failed", exitCode: EXIT.failed, message: "The model gave an empty answer." };
  return { status: "done", exitCode: EXIT.done };
}

const PROVIDER_ERRORS: ReadonlySet<string> = new Set([
  "ProviderError",
  "AuthenticationError",
  "AccessDeniedError",
  "NotFoundError",
  "InvalidRequestError",
  "RateLimitError",
  "ServerError",
  "ContextLengthError",
  "QuotaExceededError",
  "RequestTimeoutError",
  "NetworkError",
  "StreamError",
  "ConfigurationError",
  "UnsupportedToolChoiceError",
]);

function errorOutcome(error: RunFacts["error"]): RunOutcome {
  const message = error?.message ?? "The run failed.";
  if (error?.type === "ContentFilterError") return { status: "failed", exitCode: EXIT.failed, message };
  if (error && PROVIDER_ERRORS.has(error.type)) return { status: "provider_error", exitCode: EXIT.provider, message };
  return { status: "internal_error", exitCode: EXIT.internal, message };
}
