// ultragoal as a state machine: a goal whose parts the user signs off before work starts.

import type { JsonObject } from "@lathe/llm";
import type { WorkflowDefinition } from "../workflow.ts";

/** A part of the goal, and the command that passes once it is done. */
interface GoalPart {
  readonly text: string;
  readonly until: string;
}

export interface ProposedGoal extends GoalPart {
  readonly parts: readonly GoalPart[];
}

export interface UltragoalData {
  readonly wish: string;
  readonly proposed?: ProposedGoal;
  /** The signed list, which stays valid until the user signs off the changed one. */
  readonly signed?: ProposedGoal;
}

export const ultragoalData = (data: JsonObject): UltragoalData => data as unknown as UltragoalData;
export const ultragoalJson = (data: UltragoalData): JsonObject => data as unknown as JsonObject;

export const ultragoal: WorkflowDefinition = {
  name: "ultragoal",
  version: 1,
  arguments: "<what to reach>",
  description: "a goal in parts that you sign off; it is done when the command of each part has passed",
  states: ["proposing", "sign-off", "executing", "done", "rejected"],
  start: "proposing",
  ends: ["done", "rejected"],
  moves: [
    { from: "proposing", to: "sign-off", needs: "a goal with parts, each with a command that proves it" },
    { from: "sign-off", to: "sign-off", needs: "another list instead of the undecided one" },
    { from: "sign-off", to: "executing", needs: "gate execution: approve" },
    { from: "sign-off", to: "proposing", needs: "gate execution: request-changes" },
    { from: "sign-off", to: "rejected", needs: "gate execution: reject" },
    { from: "sign-off", to: "executing", needs: "a changed list that is not approved: the list before holds" },
    { from: "executing", to: "sign-off", needs: "a changed list; what is proven of it stays proven" },
    { from: "executing", to: "done", needs: "the goal's command has passed, and that of every part" },
  ],
};
