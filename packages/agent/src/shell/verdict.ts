// The shell half of the rules: pure functions over an analysis.
import type { ShellAnalysis, ShellPart } from "./types.ts";

export type Verdict = "allow" | "ask" | "deny";

/** Patterns of `shell(…)` rules, already split into words. */
export interface ShellRules {
  readonly allow: readonly (readonly string[])[];
  readonly ask: readonly (readonly string[])[];
  readonly deny: readonly (readonly string[])[];
}

export interface PartVerdict {
  readonly part: ShellPart;
  readonly verdict: Verdict;
  readonly reason: string;
  /** The words of the rule that decided. */
  readonly rule?: readonly string[] | undefined;
}

export interface ShellVerdict {
  readonly verdict: Verdict;
  /** Why the whole is asked about although its parts are decided. */
  readonly reason?: string | undefined;
  readonly parts: readonly PartVerdict[];
}

export interface VerdictOptions {
  /** Parts on the harmless list need no rule. */
  readonly harmless?: boolean | undefined;
  /** What is said about a file that a part writes; ask when absent. */
  readonly write?: ((path: string, part: ShellPart) => Verdict) | undefined;
}

export function verdictOf(_analysis: ShellAnalysis, _rules: ShellRules, _options: VerdictOptions = {}): ShellVerdict {
  return { verdict: "ask", reason: "the analysis is not there yet", parts: [] };
}
