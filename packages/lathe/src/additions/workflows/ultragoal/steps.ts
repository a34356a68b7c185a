// The gate of ultragoal: whether to begin work on these parts.

import { approvalStep, choiceOf } from "../approval-step.ts";
import type { StepOf } from "../work.ts";
import { type ProposedGoal, ultragoalData, ultragoalJson } from "./definition.ts";

/** Starts the goal in the session. */
export type BeginGoal = (goal: ProposedGoal) => Promise<void>;

export const ultragoalSteps =
  (beginGoal: BeginGoal): StepOf =>
  ({ state, data }) => {
    const { proposed, signed, wish } = ultragoalData(data);
    if (state !== "sign-off" || !proposed) return undefined;
    return {
      ...approvalStep({
        stage: "ultragoal",
        kind: "execution",
        title: `Work on "${proposed.text}"?`,
        text: goalText(proposed),
        stageState: state,
        approve: "Start",
      }),
      settle: async (answer) => {
        const { decision, told } = choiceOf(answer);
        // The work continues either way.
        if (decision !== "approve" && signed)
          return { to: "executing", data: ultragoalJson({ wish, proposed: signed }), told: keptText(decision, told) };
        if (decision === "reject")
          return { to: "rejected", data, told: `The user rejected the goal. Do not work on it.${told}` };
        if (decision === "request-changes")
          return { to: "proposing", data, told: `The user wants changes${told || "."}` };
        await beginGoal(proposed);
        const work =
          "The user signed the goal off. Work on its parts now; mark each with `sub_goal`, `op: done`, when its command should pass. The goal is done when all of them have passed.";
        return { to: "executing", data: ultragoalJson({ wish, proposed }), told: `${work}${told}` };
      },
    };
  };

const keptText = (decision: "reject" | "request-changes", told: string): string =>
  decision === "reject"
    ? `The user rejected the changed list. The one that they signed off before holds: go on with its parts.${told}`
    : `The user wants other changes${told || "."}\nUntil they sign another list off, the one before holds: propose again, or go on with its parts.`;

function goalText({ text, until, parts }: ProposedGoal): string {
  const rows = parts.map((part, i) => `${i + 1}. ${part.text}\n   until \`${part.until}\` passes`);
  return `${text}\n\n${rows.join("\n")}\n\nAt the end, until \`${until}\` passes.`;
}
