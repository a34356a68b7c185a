// The verdict about the work in words, the same in every host and wherever the session is read.

import type { Verification, WorkVerdict } from "@lathe/agent/contract";
import { isJsonObject, type JsonValue } from "@lathe/llm";

const WORDS: Readonly<Record<WorkVerdict, string>> = {
  verified: "Verified",
  failed: "Not verified: a check failed",
  unverified: "Not verified",
  none: "Not checked",
};

/** One line; undefined if there is nothing to say. */
export function verificationLine(verification: Verification | undefined): string | undefined {
  if (!verification || (verification.verdict === "none" && verification.reasons.length === 0)) return undefined;
  const { verdict, reasons } = verification;
  if (reasons.length === 0) return `${WORDS[verdict]}.`;
  // A failed check gets its own sentence.
  if (verdict === "failed" && reasons[0]?.startsWith("`")) return `${WORDS.failed}. ${reasons.join(" ")}`;
  return `${verdict === "failed" ? WORDS.unverified : WORDS[verdict]}: ${inSentence(reasons.join(" "))}`;
}

/** The text in a form that can follow a colon; a file name at the beginning keeps its case. */
const inSentence = (text: string): string =>
  text.replace(/^(?:The|No|Nothing|Files|Packages|Programs|Too)\b/, (word) => word.toLowerCase());

/** Type of the journal entry with the result of a verification. */
export const VERIFICATION_ENTRY = "verification";

/**
 * Reads the entry of a verification: the verdict and the runs it is based on. Undefined if another version wrote it.
 */
export function verificationNote(
  data: JsonValue | undefined,
): { readonly title: string; readonly text: string } | undefined {
  if (!isJsonObject(data)) return undefined;
  const { verdict, reasons, checks, covered, acceptedBy } = data;
  if (typeof verdict !== "string" || !Object.hasOwn(WORDS, verdict) || !isTexts(reasons)) return undefined;
  const title =
    typeof acceptedBy === "string"
      ? `Accepted by ${acceptedBy}, not proven by a check.`
      : verificationLine({ verdict: verdict as WorkVerdict, reasons });
  const runs = Array.isArray(checks) ? checks.flatMap(runLine) : [];
  const files = isTexts(covered) && covered.length > 0 ? [`Covered: ${covered.join(", ")}`] : [];
  return title === undefined ? undefined : { title, text: [...runs, ...files].join("\n\n") };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const RUN_OF: Readonly<Record<string, string>> = {
  "old tests": " with the original tests",
  "old code": " with the new tests on the old code",
};

function runLine(run: JsonValue): string | [] {
  if (!isJsonObject(run) || typeof run["command"] !== "string" || typeof run["exitCode"] !== "number") return [];
  const { command, of, exitCode, outputDigest } = run;
  const how = typeof of === "string" ? (RUN_OF[of] ?? "") : "";
  const digest = typeof outputDigest === "string" ? `, output ${outputDigest.slice(0, 12)}` : "";
  return `\`${command}\`${how}: exit code ${exitCode}${digest}`;
}
