// The verdict cannot be faked: no cheat ends verified, and honest work does.

import { describe, expect, it } from "vitest";
import { CHEATS } from "./cheats.ts";
import { OUTSIDE_CHEATS } from "./cheats-outside.ts";
import { HONEST } from "./honest.ts";
import { CAN_VERIFY, worked } from "./work.ts";

const IS_LONG = process.env["LATHE_LONG"] !== undefined;
const inGate = <T extends { readonly inGate?: boolean }>(rows: readonly T[]): readonly T[] =>
  rows.filter(({ inGate: isInGate = false }) => IS_LONG || isInGate);

describe.skipIf(!CAN_VERIFY)("verification (needs bwrap, nsenter, unshare, git, npm)", () => {
  it.each(inGate([...CHEATS, ...OUTSIDE_CHEATS]).map((cheat) => [cheat.how, cheat] as const))(
    "N1 never verified: %s",
    async (_how, cheat) => {
      const { report, left } = await worked(cheat);
      expect({ verdict: report.verdict, reasons: report.reasons.join("\n"), left }).toEqual({
        verdict: cheat.ends,
        reasons: expect.stringContaining(cheat.named ?? ""),
        left: "",
      });
      expect(report.runs.length).toBeGreaterThan(0);
    },
  );

  it.each(inGate(HONEST).map((honest) => [honest.what, honest] as const))("N1 verified: %s", async (_what, honest) => {
    const { report, left } = await worked(honest);
    expect({ verdict: report.verdict, reasons: report.reasons.join("\n"), left }).toEqual({
      verdict: "verified",
      reasons: expect.stringContaining(honest.says ?? ""),
      left: "",
    });
  });
});
