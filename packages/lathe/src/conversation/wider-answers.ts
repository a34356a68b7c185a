// Answers whose effect goes beyond one call, in words: what is allowed, where and for how long. Every host uses the
// same words.

import { visibleLine } from "@lathe/agent/base";
import type { Width } from "../found/permissions/offers.ts";
import type { ApprovalQuestion } from "./approvals.ts";

/** "don't ask again for `npm test *` in this project (30 days)", "allow all edits in this project for this session". */
export function widerAnswers(
  question: Pick<ApprovalQuestion, "tool_name" | "access" | "offers">,
): readonly { readonly width: Width; readonly words: string }[] {
  const { pattern, days = 0, tool } = question.offers;
  const all = `allow all ${callsOf(question)} in this project for this session`;
  return [
    ...(pattern ? [{ width: "pattern" as const, words: `don't ask again for ${patternWords(pattern, days)}` }] : []),
    ...(tool ? [{ width: "tool" as const, words: all }] : []),
  ];
}

/** The rule without its tool name: `shell(npm test *)` becomes `npm test *`. */
export const patternText = (rules: readonly string[]): string =>
  visibleLine(rules.map((rule) => rule.replace(/^shell\((.*)\)$/s, "$1")).join(", "));

/** What a rule allows and for how long: "`npm test *` in this project (30 days)", "edits under src/ (30 days)". */
function patternWords(rules: readonly string[], days: number): string {
  const [, folder] = rules.length === 1 ? (/^write\((.+\/)\*\*\)$/.exec(rules[0] ?? "") ?? []) : [];
  const what =
    folder === undefined ? `\`${patternText(rules)}\` in this project` : `edits under ${visibleLine(folder)}`;
  return `${what} (${days === 0 ? "this session" : days === 1 ? "1 day" : `${days} days`})`;
}

function callsOf({ tool_name: tool, access = [] }: Pick<ApprovalQuestion, "tool_name" | "access">): string {
  if (access.some(({ kind }) => kind === "exec")) return `${tool} commands`;
  return access.some(({ kind }) => kind === "write") ? "edits" : `${tool} calls`;
}
