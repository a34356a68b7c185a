// How a run ended, as an exit code, a status word and one line. Pure functions of what the session reported.

import type { EndReason, FailureKind, InputError } from "@lathe/agent";
import { visibleText } from "@lathe/agent/base";
import type { Verification } from "@lathe/agent/contract";
import { allowedWith, type DeniedCall } from "../../found/permissions/permissions.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import { verificationLine } from "../../sessions/verdict.ts";

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
  /** Why the last answer ended. */
  readonly finish: string;
  /** What the agent asks the user; `text` contains it. */
  readonly awaiting?: "question" | "plan";
  /** The unfinished workflow of the session, and its open question. */
  readonly workflow?: { readonly name: string; readonly state: string; readonly question?: string };
  readonly denied: readonly DeniedCall[];
  /** False: the session is not on disk and cannot be continued. */
  readonly kept?: boolean;
  /** The command that continues the session. Absent: the one for the folder's last session. */
  readonly command?: string;
  /** Which limit ended the run. */
  readonly limit?: string;
  readonly error?: Pick<InputError, "message" | "kind">;
  /** Absent: the session has no checks. */
  readonly verification?: Verification;
  /** The run fails unless it is verified. */
  readonly mustBeVerified?: boolean;
}

export interface RunOutcome {
  readonly status: RunStatus;
  readonly exitCode: ExitCode;
  /** For stderr, unless the run simply succeeded: what happened and what to do. */
  readonly message?: string;
}

const LAST = "lathe -c";

export const TIME_IS_UP = "The time limit of this run was reached.";

type Kept = Pick<RunFacts, "kept" | "command">;

export const interruptedOutcome = ({ kept = true, command = LAST }: Kept): RunOutcome => ({
  status: "interrupted",
  exitCode: EXIT.interrupted,
  message: kept ? `Interrupted. Continue with: ${command}` : "Interrupted. Nothing was saved (--no-session).",
});

export const limitOutcome = (what: string, { kept = true, command = LAST }: Kept): RunOutcome => ({
  status: "budget",
  exitCode: EXIT.budget,
  message: `${what} ${kept ? `Continue with a higher limit: ${command}` : "Run it again with a higher limit."}`,
});

export function outcomeOf(facts: RunFacts): RunOutcome {
  const outcome = outcomeOfEnd(facts);
  const { mustBeVerified = false, verification } = facts;
  if (outcome.exitCode !== EXIT.done) return outcome;
  if (!mustBeVerified || verification?.verdict === "verified") return workflowOutcome(facts) ?? outcome;
  const why = verificationLine(verification) ?? "Not verified: nothing was changed.";
  return { status: "failed", exitCode: EXIT.failed, message: why };
}

function outcomeOfEnd(facts: RunFacts): RunOutcome {
  switch (facts.reason) {
    case "interrupted":
    case "aborted":
      return facts.limit === undefined ? interruptedOutcome(facts) : limitOutcome(facts.limit, facts);
    case "error":
      return errorOutcome(facts);
    case "context_overflow":
      return {
        status: "failed",
        exitCode: EXIT.failed,
        message: `${tooLarge(facts)} Start a new session or choose a larger model.`,
      };
    case "budget":
    case "turn_limit":
    case "round_limit":
      return limitOutcome(facts.limit ?? "A limit of this run was reached.", facts);
    case "completed":
      return completedOutcome(facts);
  }
}

/** The provider's message is shown if there is one: it may be about a limit of the account, not of the model. */
const tooLarge = ({ error }: RunFacts): string =>
  error === undefined
    ? "The conversation no longer fits the model's context."
    : `The conversation is too large: ${sentence(joinLines(error.message))}`;

const questionText = ({ kept = true, command = LAST }: Kept): string =>
  `The agent asked a question. ${kept ? `Answer it with: ${command} "<answer>"` : "Run it again with the answer in the prompt."}`;

/** An unfinished workflow is not success: a script must not take it for the end. */
function workflowOutcome({ workflow, kept = true, command = LAST }: RunFacts): RunOutcome | undefined {
  if (!workflow) return undefined;
  const { name, state, question } = workflow;
  const what =
    question === undefined
      ? `The workflow ${name} is not finished: it is at ${state}.`
      : `The workflow ${name} asks: ${sentence(joinLines(question))}`;
  const how =
    question === undefined
      ? `Continue with: ${command} "<message>". To end it: ${command} "/workflow stop"`
      : `Answer it with: ${command} "<answer>"`;
  const message = `${what} ${kept ? how : "Nothing was saved (--no-session): run it again without that option."}`;
  return { status: "question", exitCode: EXIT.question, message };
}

const planText = ({ kept = true, command = LAST }: Kept): string =>
  `The agent proposed a plan. ${kept ? `To carry it out: ${command} "go ahead"` : "Run it again with the plan as the prompt."}`;

const OTHER_WORDS = "Rephrase the request, or choose another model: lathe models";

function completedOutcome(facts: RunFacts): RunOutcome {
  const { kept = true, command = LAST } = facts;
  if (facts.awaiting) {
    const asked = facts.workflow?.question === undefined ? undefined : workflowOutcome(facts);
    if (asked) return asked;
    return {
      status: "question",
      exitCode: EXIT.question,
      message: facts.awaiting === "plan" ? planText(facts) : questionText(facts),
    };
  }
  if (facts.denied.length > 0) {
    const names = [...new Set(facts.denied.map((call) => call.tool))].join(", ");
    return {
      status: "denied",
      exitCode: EXIT.denied,
      message: `Needs permission: ${names}. Allow it with: ${allowedWith(facts.denied.map(({ reason }) => reason))}`,
    };
  }
  if (facts.finish === "content_filter") {
    return { status: "failed", exitCode: EXIT.failed, message: `The model refused to answer. ${OTHER_WORDS}` };
  }
  if (facts.finish === "length") {
    return {
      status: "failed",
      exitCode: EXIT.failed,
      message: `The answer was cut off at the output limit. ${kept ? `Continue with: ${command} "continue"` : "Ask for less at a time."}`,
    };
  }
  if (facts.text.trim() === "")
    return { status: "failed", exitCode: EXIT.failed, message: `The model gave an empty answer. ${OTHER_WORDS}` };
  return { status: "done", exitCode: EXIT.done };
}

const RETRY = "Try again later";
const CHECK_CONNECTION = "Check the connection and the base URL, then try again";
const OTHER_MODEL = "Choose another model (lathe models) or change the request";

/** What to do about a failed request. Absent: the run did not fail at the model. "": the message already says it. */
const ADVICE: Readonly<Partial<Record<FailureKind, string>>> = {
  credential: "",
  auth: "Check the key: lathe auth status",
  invalid: OTHER_MODEL,
  quota: "Check the account's limits, or choose another model: lathe models",
  overflow: "Start a new session or choose a larger model: lathe models",
  config: "See: lathe models, lathe config list",
  rate_limit: RETRY,
  overloaded: RETRY,
  timeout: RETRY,
  network: CHECK_CONNECTION,
};

function errorOutcome(facts: RunFacts): RunOutcome {
  const { error, kept = true, command = LAST, denied } = facts;
  const message = joinLines(error?.message ?? "The run failed.");
  // A denied call is the cause that the user can change.
  if ((error?.kind === "repetition" || error?.kind === "output") && denied.length > 0) return completedOutcome(facts);
  if (error?.kind === "output") {
    const hint = "Make the schema simpler or choose another model: lathe models";
    return { status: "failed", exitCode: EXIT.failed, message: `${sentence(message)} ${hint}` };
  }
  if (error?.kind === "refused" || error?.kind === "repetition") {
    return { status: "failed", exitCode: EXIT.failed, message: `${sentence(message)} ${OTHER_WORDS}` };
  }
  const advice = error && ADVICE[error.kind];
  if (advice !== undefined) {
    const how = kept && (advice === RETRY || advice === CHECK_CONNECTION) ? `: ${command}` : "";
    // Some messages already say what to check.
    const next = advice === CHECK_CONNECTION && /\bcheck the\b/i.test(message) ? "Then try again" : advice;
    const said = advice === "" ? message : `${sentence(message)} ${next}${how}`;
    return { status: "provider_error", exitCode: EXIT.provider, message: said };
  }
  if (error?.kind === "storage") {
    // Another program touched the session file: the disk has room, and the message says what to do.
    if (/ while the session was open\b/.test(message))
      return { status: "internal_error", exitCode: EXIT.internal, message };
    const start = /\bfree space\b/i.test(message) ? "Or set" : "Free space or set";
    const hint = `${start} LATHE_HOME to a folder that can be written, or keep nothing: --no-session`;
    return { status: "internal_error", exitCode: EXIT.internal, message: `${sentence(message)} ${hint}` };
  }
  return { status: "internal_error", exitCode: EXIT.internal, message };
}

/**
 * Joins the lines and makes control characters visible: a server may have written the text, and a terminal may show it.
 */
export const joinLines = (text: string): string => visibleText(text.replace(/\s*\n\s*/g, " ").trim());
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
