// The verdict in words, the same in every host.

import type { Verification, WorkVerdict } from "@lathe/agent/contract";

const WORDS: Readonly<Record<WorkVerdict, string>> = {
  verified: "Verified",
  failed: "Not verified: a check failed",
  unverified: "Not verified",
  none: "Not checked",
};

/** One line; undefined when there is nothing to say. */
export function verificationLine(verification: Verification | undefined): string | undefined {
  if (!verification || (verification.verdict === "none" && verification.reasons.length === 0)) return undefined;
  const { verdict, reasons } = verification;
  return reasons.length === 0
    ? `${WORDS[verdict]}.`
    : `${WORDS[verdict]}: ${reasons.join(" ")}`.replace("failed: `", "failed. `");
}

/** In the entries of a session: what a verification found. */
export const VERIFICATION_ENTRY = "verification";
