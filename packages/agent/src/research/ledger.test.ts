import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeClaims, readEvidence, readPlanItems } from "./ledger.ts";
import type { ResearchEvidenceEntry, ResearchPlanItem } from "./types.ts";

const item = (claim: string, unknowns: readonly string[] = []): ResearchPlanItem => ({
  claim,
  confidence: "medium",
  unknowns,
  evidenceNeeded: [],
  counterexampleQueries: [],
  sourceConflictPolicy: "newest",
  dropCondition: "contradicted",
  verifierChecks: [],
});
const entry = (
  verdict: ResearchEvidenceEntry["verdict"],
  source: string,
  confidence: ResearchEvidenceEntry["confidence"] = "high",
  notes?: string,
): ResearchEvidenceEntry => ({ claim: "a", source, confidence, verdict, ...(notes === undefined ? {} : { notes }) });
const verdictOn = (evidence: readonly ResearchEvidenceEntry[], unknowns?: readonly string[]) =>
  judgeClaims([item("a", unknowns)], evidence)[0];

describe("G-99 the ledger", () => {
  it("G-99 a credible contradiction rejects, however much supports the claim", () => {
    const verdict = verdictOn([entry("support", "s1"), entry("support", "s2"), entry("contradict", "c.ts:3")]);
    expect(verdict).toEqual({
      claim: "a",
      finalVerdict: "rejected",
      survivingSources: [],
      rejectReason: "Contradicted by c.ts:3.",
      unresolvedUnknowns: [],
    });
  });

  it("G-99 support alone accepts; doubts, unknowns and a weak contradiction leave a claim uncertain", () => {
    expect(verdictOn([entry("support", "s")])?.finalVerdict).toBe("accepted");
    expect(verdictOn([entry("uncertain", "s")])?.finalVerdict).toBe("uncertain");
    expect(verdictOn([])?.finalVerdict).toBe("uncertain");
    expect(verdictOn([entry("support", "s"), entry("contradict", "c", "low")])?.finalVerdict).toBe("uncertain");
    expect(verdictOn([entry("support", "s")], ["load"])).toMatchObject({
      finalVerdict: "uncertain",
      unresolvedUnknowns: ["load"],
    });
    expect(verdictOn([entry("support", "s", "high", "measured the load")], ["load"])?.finalVerdict).toBe("accepted");
    expect(verdictOn([{ ...entry("contradict", "c"), claim: "b" }])?.finalVerdict).toBe("uncertain");
  });

  it("G-99 the order of entries, and a repeated one, never change a verdict", () => {
    const entries = fc.array(
      fc.record({
        claim: fc.constantFrom("a", " a ", "b"),
        source: fc.constantFrom("s1", "s2", "s3"),
        confidence: fc.constantFrom("low" as const, "medium" as const, "high" as const),
        verdict: fc.constantFrom("support" as const, "contradict" as const, "uncertain" as const),
        notes: fc.constantFrom("load", "", "other"),
      }),
      { maxLength: 8 },
    );
    const shuffled = entries.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray([...list, ...list.slice(0, 2)], { minLength: list.length + Math.min(2, list.length) }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const items = [item("a", ["load"]), item("b")];
        expect(judgeClaims(items, other)).toEqual(judgeClaims(items, list));
      }),
    );
  });

  it("G-99 an unknown key and a wrong value are named with their place", () => {
    expect(() => readPlanItems([{ ...item("a"), more: 1 }])).toThrow(/items\[0\].*more|more.*items\[0\]/);
    expect(() => readPlanItems([{ ...item("a"), confidence: "sure" }])).toThrow("items[0].confidence");
    expect(() => readEvidence([entry("support", "s"), { claim: "a" }])).toThrow("evidence[1]");
    expect(readEvidence([entry("support", "s")])).toHaveLength(1);
  });
});
