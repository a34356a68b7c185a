// The part of the system prompt about skills: each one's name, its use, and how to read it.

import type { Skill } from "../../found/skills/skill.ts";
import advice from "./advice.md";

export function skillPrompt(skills: readonly Skill[]): string {
  const rows = skills.filter(({ isHidden }) => !isHidden).map(({ name, description }) => `- ${name}: ${description}`);
  return rows.length === 0 ? "" : `# Skills\n\n${advice.trim()}\n\n${rows.join("\n")}`;
}
