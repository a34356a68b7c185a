// Permission rules from settings and options, each with its origin. A project's rules can only narrow what is
// permitted.

import { type Decision, EXAMPLE, type Rule, readRule } from "@lathe/agent/policy";
import { usageError } from "../../platform/usage/exit.ts";

const DECISIONS: readonly Decision[] = ["deny", "ask", "allow"];

/** Parses the rule of an option; an invalid one is an error that names the option. */
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
