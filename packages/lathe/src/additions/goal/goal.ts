// A goal of a session: what the user wants, the command that proves it, and its sub-goals. Data and pure changes;
// stored as a fact of the branch.

import type { JsonValue } from "@lathe/llm";

/** What a run of a command has proven, with the files that it ran on. */
export interface GoalEvidence {
  readonly command: string;
  readonly exitCode: number;
  /** SHA-256 of the output. */
  readonly outputDigest: string;
  /** The list of files that it ran on, as a blob. */
  readonly tree: string;
}

type SubGoalState = "open" | "met" | "dropped";

export interface SubGoal {
  readonly text: string;
  /** The command that passes when the sub-goal is met. */
  readonly until: string;
  readonly state: SubGoalState;
  readonly evidence?: GoalEvidence;
  /** Why it was dropped. */
  readonly reason?: string;
}

/** `stopped`: nothing changed any more; the user's next message resumes the goal. `cancelled`: the user ended it. */
type GoalState = "active" | "met" | "stopped" | "cancelled";

export interface Goal extends WantedGoal {
  readonly state: GoalState;
  /** Why it was stopped. */
  readonly reason?: string;
  /** How often the command ran. */
  readonly checks: number;
  /** The last check that did not prove the goal. */
  readonly last?: FailedCheck;
  readonly evidence?: GoalEvidence;
  readonly subGoals: readonly SubGoal[];
}

/** A check that did not prove the goal. The same one twice means that the work makes no progress. */
export interface FailedCheck {
  readonly tree: string;
  /** SHA-256 of the reasons for the failure. */
  readonly failure: string;
  /**
   * The entry of the answer at which the model stopped. If Lathe was killed, the same answer is checked again, which
   * does not count as a repetition.
   */
  readonly answer?: string;
}

/** The session fact that holds the goal. */
export const GOAL_FACT = "goal";

/** The goal that the user asks for. */
export interface WantedGoal {
  readonly text: string;
  /** The goal is met when this command passes. */
  readonly until: string;
}

export const newGoal = ({ text, until }: WantedGoal): Goal => ({
  text,
  until,
  state: "active",
  checks: 0,
  subGoals: [],
});

/** Undefined if the session has no goal; a goal in an unknown format counts as none. */
export function goalIn(fact: JsonValue | undefined): Goal | undefined {
  const goal = fact as unknown as Goal | null | undefined;
  return typeof goal?.text === "string" && typeof goal.until === "string" && Array.isArray(goal.subGoals)
    ? goal
    : undefined;
}

/** The same goal with these sub-goals. Those that were proven stay proven. */
export const withParts = (goal: Goal, parts: readonly WantedGoal[], proven: readonly SubGoal[]): Goal => ({
  ...goal,
  subGoals: parts.map(
    ({ text, until }) =>
      proven.find((one) => one.text === text && one.until === until && one.evidence !== undefined) ?? {
        text,
        until,
        state: "open",
      },
  ),
});

export const goalFact = (goal: Goal): JsonValue => goal as unknown as JsonValue;

/**
 * The goal after its command passed. Open sub-goals keep it from being met; if the same ones are open twice on the same
 * files, the goal stops.
 */
export function afterPass(goal: Goal, evidence: GoalEvidence, answer?: string): Goal {
  const { last: _, ...rest } = { ...goal, checks: goal.checks + 1, evidence };
  const open = goal.subGoals.flatMap(({ state }, i) => (state === "open" ? [i + 1] : []));
  if (open.length === 0) return { ...rest, state: "met" };
  const left = `open: ${open.join(", ")}`;
  const check = { tree: evidence.tree, failure: left, ...(answer === undefined ? {} : { answer }) };
  const reason = `Its command passes, but sub-goals are still ${left}. Nothing has changed since the last check.`;
  return { ...rest, last: check, ...(isRepeated(goal, check) ? { state: "stopped", reason } : {}) };
}

/** The goal after a failed check. The same failure on the same files twice stops it. */
export function afterFailure(goal: Goal, check: FailedCheck): Goal {
  const { evidence: _, ...rest } = { ...goal, checks: goal.checks + 1, last: check };
  return isRepeated(goal, check) ? { ...rest, state: "stopped", reason: NOTHING_MOVES } : rest;
}

/** Whether the model stopped twice at the same point. */
function isRepeated({ last }: Goal, { tree, failure, answer }: FailedCheck): boolean {
  // After a kill, the same answer is judged once more.
  const isAgain = answer !== undefined && last?.answer === answer;
  return !isAgain && last?.tree === tree && last.failure === failure;
}

const NOTHING_MOVES = "Nothing has changed since the last check, and it fails the same way.";

/** A stopped goal resumes with the user's next message. */
export function resumeGoal(goal: Goal): Goal {
  if (goal.state !== "stopped") return goal;
  const { last: _, reason: __, ...rest } = goal;
  return { ...rest, state: "active" };
}

export const cancelGoal = (goal: Goal): Goal => ({ ...goal, state: "cancelled", reason: "The user cancelled it." });

export const openSubGoals = ({ subGoals }: Goal): readonly SubGoal[] =>
  subGoals.filter(({ state }) => state === "open");

/** `number` counts from 1, as users and the model see it. */
export function withSubGoal(goal: Goal, number: number, change: Partial<SubGoal>): Goal {
  return {
    ...goal,
    subGoals: goal.subGoals.map((subGoal, i) => (i === number - 1 ? { ...subGoal, ...change } : subGoal)),
  };
}

const STATES: Readonly<Record<GoalState, string>> = {
  active: "in progress",
  met: "met",
  stopped: "stopped",
  cancelled: "cancelled",
};
const MARKS: Readonly<Record<SubGoalState, string>> = { open: " ", met: "x", dropped: "-" };

/** The goal in plain text, for users and the model. */
export function goalText(goal: Goal): string {
  const { text, until, state, reason, checks, subGoals } = goal;
  const times = checks === 1 ? "once" : `${checks} times`;
  return [
    `Goal: ${text} (${STATES[state]})`,
    `Until: ${until}${checks === 0 ? "" : ` (ran ${times})`}`,
    ...(reason === undefined ? [] : [reason]),
    ...subGoals.map((subGoal, i) => `${i + 1}. ${subGoalText(subGoal)}`),
  ].join("\n");
}

const subGoalText = ({ text, until, state, reason }: SubGoal): string =>
  `[${MARKS[state]}] ${text} (until: ${until})${reason === undefined ? "" : `; dropped: ${reason}`}`;
