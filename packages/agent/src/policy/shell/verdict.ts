// The shell half of the rules: the verdict on a command, from its analysis and the patterns of `shell(…)` rules.
//
// Deny beats ask beats allow, and every part must be allowed. For each part, in this order:
// 1. a deny rule that matches it, in any of its forms (with or without wrappers): deny; an ask rule: ask;
// 2. a deny or ask rule that may match it, if a word is unknown until it runs: ask;
// 3. a doubt: ask, whatever the rules say;
// 4. a dangerous form: ask, unless an allow rule names every word that makes it dangerous;
// 5. a file that it writes: what `write` says about it (ask if it is not passed in);
// 6. an allow rule that covers it, or the harmless list if that is enabled: allow;
// 7. anything else: ask.
//
// An allow rule covers what runs, not the wrapper: `npm test` covers `timeout 60 npm test`; `timeout *` covers nothing.
// If a wrapper changes the user or machine that runs something (sudo, ssh, docker exec, npx), the rule must begin with
// the wrapper and extend to the program: `sudo systemctl status *`. A program given by a relative path is covered only
// in the directory where the text starts.

import type { ShellAnalysis, ShellPart } from "../../contract/shell.ts";
import { covers, meets, namedLength } from "./match.ts";

export type Verdict = "allow" | "ask" | "deny";

/** Patterns of `shell(…)` rules, split by `patternWords`. */
export interface ShellRules {
  readonly allow: readonly (readonly string[])[];
  readonly ask: readonly (readonly string[])[];
  readonly deny: readonly (readonly string[])[];
}

interface PartVerdict {
  readonly part: ShellPart;
  readonly verdict: Verdict;
  /** For display, a clause. */
  readonly reason: string;
  /** The words of the rule that decided. */
  readonly rule?: readonly string[] | undefined;
}

export interface ShellVerdict {
  readonly verdict: Verdict;
  /** Why the whole text needs approval, whatever its parts say. */
  readonly reason?: string | undefined;
  readonly parts: readonly PartVerdict[];
}

export interface VerdictOptions {
  /** Parts on the harmless list need no rule. */
  readonly harmless?: boolean | undefined;
  /** The verdict on a file that a part writes; ask if absent. */
  readonly write?: ((path: string, part: ShellPart) => Verdict) | undefined;
}

export function verdictOf(analysis: ShellAnalysis, rules: ShellRules, options: VerdictOptions = {}): ShellVerdict {
  const parts = analysis.parts.map((part) => verdictOfPart(part, rules, options));
  const verdicts = new Set(parts.map(({ verdict }) => verdict));
  if (verdicts.has("deny")) return { verdict: "deny", parts, reason: analysis.doubt };
  const isAsked = analysis.doubt !== undefined || verdicts.has("ask");
  return { verdict: isAsked ? "ask" : "allow", reason: analysis.doubt, parts };
}

function verdictOfPart(part: ShellPart, rules: ShellRules, options: VerdictOptions): PartVerdict {
  const makeVerdict = (verdict: Verdict, reason: string, rule?: readonly string[]): PartVerdict => ({
    part,
    verdict,
    reason,
    rule,
  });
  let perhaps: readonly string[] | undefined;
  const meetsIt = (rule: readonly string[]): boolean => {
    const met = meetsPart(rule, part);
    if (met === "perhaps") perhaps ??= rule;
    return met === "yes";
  };
  const denied = rules.deny.find(meetsIt);
  if (denied) return makeVerdict("deny", "a rule denies it", denied);
  const asked = rules.ask.find(meetsIt);
  if (asked) return makeVerdict("ask", "a rule asks about it", asked);
  if (perhaps) return makeVerdict("ask", "a rule may deny or ask about it", perhaps);
  if (part.doubt !== undefined) return makeVerdict("ask", part.doubt);
  const allowed = rules.allow.find((rule) => allows(rule, part));
  if (part.danger) {
    const naming = rules.allow.find((rule) => allows(rule, part) && namesDanger(rule, part));
    if (!naming) return makeVerdict("ask", `${part.danger.shape}: ${part.danger.reason}`);
    return writeVerdict(part, options, makeVerdict) ?? makeVerdict("allow", "a rule names this shape", naming);
  }
  const written = writeVerdict(part, options, makeVerdict);
  if (written) return written;
  if (part.words.length === 0 && part.isHarmless) return makeVerdict("allow", "it runs no program");
  if (allowed) return makeVerdict("allow", "a rule allows it", allowed);
  return options.harmless && part.isHarmless
    ? makeVerdict("allow", "it is harmless")
    : makeVerdict("ask", "no rule covers it");
}

function writeVerdict(
  part: ShellPart,
  { write }: VerdictOptions,
  makeVerdict: (verdict: Verdict, reason: string) => PartVerdict,
): PartVerdict | undefined {
  const verdicts = part.writes.map((path) => [path, write?.(path, part) ?? "ask"] as const);
  const worst = verdicts.find(([, verdict]) => verdict === "deny") ?? verdicts.find(([, verdict]) => verdict === "ask");
  return worst && makeVerdict(worst[1], `it writes ${worst[0]}`);
}

function meetsPart(rule: readonly string[], part: ShellPart): "yes" | "perhaps" | "no" {
  const own = meets(rule, part);
  const outer = part.outer.map((form) => meets(rule, form));
  if (own === "yes" || outer.includes("yes")) return "yes";
  if (own === "perhaps" || outer.includes("perhaps")) return "perhaps";
  // An unknown program may run the words after it.
  if (part.isHarmless) return "no";
  const isHidden = part.words.some(
    (_, index) => index > 0 && meets(rule, { words: part.words.slice(index), unknown: [] }) === "yes",
  );
  return isHidden && namedLength(rule) > 0 ? "perhaps" : "no";
}

function allows(rule: readonly string[], part: ShellPart): boolean {
  const [program = ""] = part.words;
  if (part.isMoved && program.includes("/") && !program.startsWith("/")) return false;
  if (!part.isElsewhere && covers(rule, part)) return true;
  const at = innerIndex(part);
  const [outermost] = part.outer;
  return outermost !== undefined && at !== undefined && covers(rule, outermost) && namedLength(rule) > at;
}

/** Position of the program in the outermost form. */
function innerIndex(part: ShellPart): number | undefined {
  let at = 0;
  for (const { program } of part.outer) {
    if (program === undefined) return undefined;
    at += program;
  }
  return at;
}

function namesDanger(rule: readonly string[], part: ShellPart): boolean {
  const named = part.danger?.named;
  if (!named) return false;
  const isInner = !part.isElsewhere && covers(rule, part);
  const from = isInner ? 0 : (innerIndex(part) ?? 0);
  return named.every((index) => from + index < namedLength(rule) && !rule[from + index]?.includes("*"));
}
