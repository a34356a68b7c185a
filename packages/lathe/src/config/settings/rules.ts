// Rules of settings and options, each with where it stands. What a project brings can only narrow.

import { type Decision, EXAMPLE, type Rule, readRule } from "@lathe/agent/policy";
import { usageError } from "../../platform/usage/exit.ts";

const DECISIONS: readonly Decision[] = ["deny", "ask", "allow"];

/** A rule of an option; a bad one is an error that names it. */
function ruleOfOption(decision: Decision, text: string): Rule {
  return ruleFrom(decision, text, `--${decision}`);
}

export function ruleFrom(decision: Decision, text: string, origin: string): Rule {
  const read = readRule(text);
  if ("problem" in read) throw usageError(`${origin}: "${text}" ${read.problem}. ${EXAMPLE}.`);
  return { ...read, decision, origin };
}

export function rulesOfOptions(options: { readonly [Name in Decision]?: readonly string[] }): Rule[] {
  return DECISIONS.flatMap((decision) => (options[decision] ?? []).map((text) => ruleOfOption(decision, text)));
}
