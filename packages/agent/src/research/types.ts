// Claims of a plan and the evidence for and against them, as definitions that check values from models.

import { choice, listOf, object, optional, type Static, text } from "@lathe/llm/schema";

const confidence = choice(["low", "medium", "high"]);

/** A claim that a plan rests on, and how it could turn out to be wrong. */
export const researchPlanItem = object({
  claim: text("The smallest statement that can be shown to be right or wrong"),
  confidence,
  unknowns: listOf(text(), "What is not known yet"),
  evidenceNeeded: listOf(text()),
  counterexampleQueries: listOf(text(), "What to look for that would show it wrong"),
  sourceConflictPolicy: text("What counts when sources disagree"),
  dropCondition: text("When the claim is given up"),
  verifierChecks: listOf(text()),
});
/** One question of a plan, and how its answer is checked. */
export type ResearchPlanItem = Static<typeof researchPlanItem>;

/** What a source says about a claim. */
export const researchEvidenceEntry = object({
  claim: text("As the plan has it, word for word"),
  source: text("A file with a line, a command, an address"),
  confidence,
  verdict: choice(["support", "contradict", "uncertain"]),
  notes: optional(text("Also which of the unknowns it answers")),
});
/** One piece of evidence for an item of a plan. */
export type ResearchEvidenceEntry = Static<typeof researchEvidenceEntry>;

/** The verdict on a claim. */
export interface ResearchLedgerVerdict {
  readonly claim: string;
  readonly finalVerdict: "accepted" | "rejected" | "uncertain";
  /** Empty for a rejected claim. */
  readonly survivingSources: readonly ResearchEvidenceEntry[];
  readonly rejectReason?: string;
  readonly unresolvedUnknowns: readonly string[];
}
