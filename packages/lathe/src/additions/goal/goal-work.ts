// Works on a goal: when the model stops, the goal's command runs, and a failure goes back to the model until the
// command passes or nothing changes any more.

import { createHash } from "node:crypto";
import type { Middleware, Session } from "@lathe/agent";
import type { Verification } from "@lathe/agent/contract";
import { usageError } from "../../platform/usage/exit.ts";
import { lastAnswer } from "../verify/last-answer.ts";
import {
  afterFailure,
  afterPass,
  cancelGoal,
  GOAL_FACT,
  type Goal,
  goalFact,
  goalIn,
  newGoal,
  resumeGoal,
  type WantedGoal,
  withParts,
} from "./goal.ts";
import { type Failure, failedPrompt, openPartsPrompt } from "./goal-words.ts";
import type { GoalJudge, Judgement } from "./judge.ts";

/** A check may take as long as a test suite. */
const CHECK_MS = 2 * 60 * 60_000;

export class GoalWork {
  readonly #session: Session;
  readonly #judge: GoalJudge;

  constructor(session: Session, judge: GoalJudge) {
    this.#session = session;
    this.#judge = judge;
  }

  /** Undefined if the branch has no goal. */
  get goal(): Goal | undefined {
    return goalIn(this.#session.facts.read(GOAL_FACT));
  }

  async write(goal: Goal): Promise<void> {
    await this.#session.facts.write(GOAL_FACT, goalFact(goal), { isAnnounced: true });
  }

  /**
   * Starts a goal. If it is the same goal again, what is proven of it counts. `parts`: the list of sub-goals, if the
   * user approved one.
   */
  async begin(wanted: WantedGoal, parts?: readonly WantedGoal[]): Promise<void> {
    const { goal } = this;
    const isSame = goal?.text === wanted.text && goal.until === wanted.until && goal.state !== "met";
    const begun: Goal = isSame ? { ...resumeGoal(goal), state: "active" } : newGoal(wanted);
    await this.write(parts ? withParts(begun, parts, goal?.subGoals ?? []) : begun);
    await this.#judge.begin({ isNew: !isSame });
  }

  async cancel(): Promise<void> {
    const { goal } = this;
    if (goal?.state !== "active" && goal?.state !== "stopped") throw usageError("There is no goal to stop.");
    await this.write(cancelGoal(goal));
  }

  /** Judges the command of a sub-goal. */
  judge(command: string, signal: AbortSignal): Promise<Judgement> {
    return this.#judge.judge(command, signal);
  }

  middleware(): Middleware {
    return {
      name: "goal",
      timeoutMs: CHECK_MS,
      onInput: async () => {
        const { goal } = this;
        if (goal?.state === "stopped") await this.write(resumeGoal(goal));
        return undefined;
      },
      beforeStop: async (_info, { signal }) => {
        const { goal } = this;
        if (goal?.state !== "active") return undefined;
        return this.#goOn(await this.#judge.judge(goal.until, signal));
      },
      verdictAtEnd: () => verdictOf(this.goal),
    };
  }

  async #goOn(judgement: Judgement): Promise<{ readonly continueWith: string } | undefined> {
    const { goal } = this;
    // The goal may have been cancelled while the command ran.
    if (goal?.state !== "active") return undefined;
    const answer = lastAnswer(this.#session);
    const next = judgement.isProven
      ? afterPass(goal, judgement.evidence, answer)
      : afterFailure(goal, {
          ...{ tree: judgement.tree, failure: digestOf(judgement) },
          ...(answer === undefined ? {} : { answer }),
        });
    await this.write(next);
    if (next.state !== "active") return undefined;
    if (!judgement.isProven)
      this.#session.warn(
        `The goal is not reached yet. ${judgement.reasons.join(" ")} The agent keeps working on it.`,
        "goal",
      );
    return { continueWith: judgement.isProven ? openPartsPrompt(next) : failedPrompt(judgement) };
  }
}

function verdictOf(goal: Goal | undefined): Verification | undefined {
  switch (goal?.state) {
    case "met":
      return { verdict: "verified", reasons: [`\`${goal.until}\` passes.`] };
    case "active":
      return { verdict: "unverified", reasons: ["The goal is not reached yet."] };
    case "stopped":
      return { verdict: "failed", reasons: [`The goal is not reached. ${goal.reason}`] };
    default:
      return undefined;
  }
}

const digestOf = ({ reasons, output }: Failure): string =>
  createHash("sha256")
    .update([...reasons, withoutNumbersOfThisRun(output)].join("\n"))
    .digest("hex");

/** Durations, times of day and addresses differ from run to run and mean nothing. */
const withoutNumbersOfThisRun = (output: string): string =>
  output
    .replace(/duration_ms:? [\d.]+/g, "#")
    .replace(/\b\d+(?:\.\d+)?\s*(?:ms|s|secs?|seconds?|minutes?|µs|us|ns)\b/g, "#")
    .replace(/\b\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\b/g, "#")
    .replace(/\b0x[0-9a-f]+\b/gi, "#");
