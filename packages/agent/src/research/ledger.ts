// Judges claims by their evidence. Pure: the same evidence gives the same verdict, in any order.

import { Checker, listOf } from "@lathe/llm/schema";
import {
  type ResearchEvidenceEntry,
  type ResearchLedgerVerdict,
  type ResearchPlanItem,
  researchEvidenceEntry,
  researchPlanItem,
} from "./types.ts";

/** Throws an error that names the position of the first problem. */
export const readPlanItems = (value: unknown): readonly ResearchPlanItem[] => read(ITEMS, value, "items");

/** Throws an error that names the position of the first problem. */
export const readEvidence = (value: unknown): readonly ResearchEvidenceEntry[] => read(EVIDENCE, value, "evidence");

const ITEMS = new Checker(listOf(researchPlanItem));
const EVIDENCE = new Checker(listOf(researchEvidenceEntry));

function read<T>(checker: Checker, value: unknown, root: string): T {
  const problem = checker.wrongIn(value, root);
  if (problem !== undefined) throw new Error(`${problem}.`);
  return value as T;
}

/** One verdict for each item, in the same order. Evidence about other claims is ignored. */
export const judgeClaims = (
  items: readonly ResearchPlanItem[],
  evidence: readonly ResearchEvidenceEntry[],
): readonly ResearchLedgerVerdict[] => items.map((item) => judgeClaim(item, evidence));

/**
 * A credible contradiction rejects a claim, no matter how much supports it. A claim is accepted if something supports
 * it, nothing contradicts it and no unknown is left; otherwise it is uncertain.
 */
function judgeClaim(
  { claim, unknowns }: ResearchPlanItem,
  evidence: readonly ResearchEvidenceEntry[],
): ResearchLedgerVerdict {
  const entries = sortUnique(evidence.filter((entry) => nameOf(entry.claim) === nameOf(claim)));
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

/** Without duplicates. */
function sortUnique(entries: readonly ResearchEvidenceEntry[]): readonly ResearchEvidenceEntry[] {
  const byText = new Map(entries.map((entry) => [textOf(entry), entry]));
  return [...byText.keys()].sort().map((text) => byText.get(text) as ResearchEvidenceEntry);
}

const textOf = ({ claim, source, confidence, verdict, notes = "" }: ResearchEvidenceEntry): string =>
  JSON.stringify([source, verdict, confidence, notes, claim]);
