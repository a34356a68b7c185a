// The part of the system prompt about rules: the text of those that always apply, then a list of the others.

import advice from "./advice.md";
import type { RuleBuckets } from "./rule.ts";

export function rulePrompt({ always, listed }: Pick<RuleBuckets, "always" | "listed">): readonly string[] {
  // Several agents' folders often contain the same text.
  const texts = [...new Set(always.map(({ text }) => text))].filter((text) => text !== "");
  const rows = listed.map(({ name, description = "", globs }) => {
    const about = globs.length === 0 ? "" : ` (${globs.map((glob) => `<${glob}>`).join(" ")})`;
    return `- ${name}: ${description.replace(/\s+/g, " ")}${about}`;
  });
  return [...texts, ...(rows.length === 0 ? [] : [`# Rules\n\n${advice.trim()}\n\n${rows.join("\n")}`])];
}
