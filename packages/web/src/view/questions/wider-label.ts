// Answers that reach beyond one call, in words: what is allowed, and where.

import { visibleLine } from "@lathe/tui/text";
import type { Dialog } from "lathe/client";

type Offer = NonNullable<Extract<Dialog, { method: "confirm" }>["remember"]>[number];

/** "`npm test *` in this project", "edits under src/ in this project". */
export function widerLabel({ width, rules }: Offer): string {
  if (width === "tool")
    return `Yes, and allow all ${visibleLine(rules[0] ?? "")} calls in this project for this session`;
  const [, folder] = rules.length === 1 ? (/^write\((.+\/)\*\*\)$/.exec(rules[0] ?? "") ?? []) : [];
  const what =
    folder === undefined
      ? rules.map((rule) => visibleLine(ruleText(rule))).join(", ")
      : `edits under ${visibleLine(folder)}`;
  return `Yes, and don't ask again for ${what} in this project`;
}

/** A rule about commands reads as the command. */
const ruleText = (rule: string): string => /^(?:bash|exec)\((.+)\)$/.exec(rule)?.[1] ?? rule;
