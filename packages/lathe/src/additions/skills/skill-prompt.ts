// What the system prompt says of skills: each with its name, what it helps with, and how it is read.

import type { Skill } from "../../found/skills/skill.ts";
import advice from "./advice.md";

export function skillPrompt(skills: readonly Skill[]): string {
  const rows = skills.filter(({ isHidden }) => !isHidden).map(({ name, description }) => `- ${name}: ${description}`);
  return rows.length === 0 ? "" : `# Skills\n\n${advice.trim()}\n\n${rows.join("\n")}`;
}
