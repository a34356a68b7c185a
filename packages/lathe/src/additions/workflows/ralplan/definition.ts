// ralplan as a state machine: its data and its moves.

import type { ResearchEvidenceEntry, ResearchPlanItem } from "@lathe/agent/research";
import type { JsonObject } from "@lathe/llm";
import type { WorkflowDefinition } from "../workflow.ts";

/** After this many plans, the disagreement goes to the user. */
export const MOST_ROUNDS = 5;

/** The planner's result. */
export interface Draft {
  readonly title: string;
  readonly plan: string;
  /** Context, decision and consequences, as Markdown. */
  readonly adr: string;
  readonly claims: readonly ResearchPlanItem[];
}

export const REVIEWERS = ["architect", "critic"] as const;
export type Reviewer = (typeof REVIEWERS)[number];

export interface DraftReview {
  readonly verdict: "approve" | "request-changes";
  readonly reason: string;
  readonly evidence: readonly ResearchEvidenceEntry[];
}

export interface RalplanData {
  readonly wish: string;
  /** The planner's task, in the words of the session's model. */
  readonly task?: string;
  /** Counts from 1. */
  readonly round: number;
  readonly draft?: Draft;
  readonly reviews: { readonly [name in Reviewer]?: DraftReview };
  /** What must change in the draft. */
  readonly objections: readonly string[];
  readonly files?: readonly string[];
}

export const ralplanData = (data: JsonObject): RalplanData => data as unknown as RalplanData;
export const ralplanJson = (data: RalplanData): JsonObject => data as unknown as JsonObject;

export const ralplan: WorkflowDefinition = {
  name: "ralplan",
  version: 1,
  arguments: "<what to plan>",
  description: "a plan that an architect and a critic agree on, which you approve before work starts",
  states: ["planning", "reviewing", "approval", "accepted", "rejected", "disagreed"],
  start: "planning",
  ends: ["accepted", "rejected", "disagreed"],
  moves: [
    { from: "planning", to: "planning", needs: "the task" },
    { from: "planning", to: "reviewing", needs: "a plan of the planner" },
    { from: "planning", to: "disagreed", needs: `no agreement after ${MOST_ROUNDS} plans` },
    { from: "reviewing", to: "reviewing", needs: "the verdict of one reviewer" },
    { from: "reviewing", to: "planning", needs: "an objection of a reviewer, or a claim that evidence contradicts" },
    { from: "reviewing", to: "approval", needs: "architect and critic approve, and no claim is contradicted" },
    { from: "approval", to: "accepted", needs: "gate approval: approve" },
    { from: "approval", to: "planning", needs: "gate approval: request-changes" },
    { from: "approval", to: "rejected", needs: "gate approval: reject" },
  ],
};
