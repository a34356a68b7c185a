// Judges claims by their evidence. Pure: the same evidence gives the same verdict, in whatever order it came.

import { Checker, listOf } from "@lathe/llm/schema";
import {
  type ResearchEvidenceEntry,
  type ResearchLedgerVerdict,
  type ResearchPlanItem,
  researchEvidenceEntry,
  researchPlanItem,
} from "./types.ts";

/** Throws with the place of the first thing that is wrong. */
export const readPlanItems = (value: unknown): readonly ResearchPlanItem[] => read(ITEMS, value, "items");

/** Throws with the place of the first thing that is wrong. */
export const readEvidence = (value: unknown): readonly ResearchEvidenceEntry[] => read(EVIDENCE, value, "evidence");

const ITEMS = new Checker(listOf(researchPlanItem));
const EVIDENCE = new Checker(listOf(researchEvidenceEntry));

function read<T>(checker: Checker, value: unknown, root: string): T {
  const problem = checker.wrongIn(value, root);
  if (problem !== undefined) throw new Error(`${problem}.`);
  return value as T;
}

/** One verdict for each item, in their order. Evidence about other claims counts for none. */
export const judgeClaims = (
  items: readonly ResearchPlanItem[],
  evidence: readonly ResearchEvidenceEntry[],
): readonly ResearchLedgerVerdict[] => items.map((item) => judgeClaim(item, evidence));

/**
 * A credible contradiction rejects a claim, however much supports it. It is accepted when something supports it, nothing speaks
 * against it and no unknown is left; else it is uncertain.
 */
function judgeClaim(
  { claim, unknowns }: ResearchPlanItem,
  evidence: readonly ResearchEvidenceEntry[],
): ResearchLedgerVerdict {
  const entries = sorted(evidence.filter((entry) => nameOf(entry.claim) === nameOf(claim)));
  const supporting = entries.filter(({ verdict }) => verdict === "support");
  const against = entries.filter(({ verdict }) => verdict === "contradict");
  const unresolvedUnknowns = unknowns.filter((unknown) => !supporting.some(({ notes }) => notes?.includes(unknown)));
  const credible = against.filter(({ confidence }) => confidence !== "low");
  if (credible.length > 0) {
    const sources = [...new Set(credible.map(({ source }) => source))];
    const rejectReason = `Contradicted by ${sources.join(", ")}.`;
    return { claim, finalVerdict: "rejected", survivingSources: [], rejectReason, unresolvedUnknowns };
  }
  const isAccepted = supporting.length > 0 && against.length === 0 && unresolvedUnknowns.length === 0;
  return {
    claim,
    finalVerdict: isAccepted ? "accepted" : "uncertain",
    survivingSources: supporting,
    unresolvedUnknowns,
  };
}

const nameOf = (claim: string): string => claim.trim().replace(/\s+/g, " ");

/** Each once. */
function sorted(entries: readonly ResearchEvidenceEntry[]): readonly ResearchEvidenceEntry[] {
  const byText = new Map(entries.map((entry) => [textOf(entry), entry]));
  return [...byText.keys()].sort().map((text) => byText.get(text) as ResearchEvidenceEntry);
}

const textOf = ({ claim, source, confidence, verdict, notes = "" }: ResearchEvidenceEntry): string =>
  JSON.stringify([source, verdict, confidence, notes, claim]);
