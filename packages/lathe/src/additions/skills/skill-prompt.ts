// What the system prompt says of skills: each with its name, what it helps with, and how it is read.

import advice from "./advice.md";
import type { Skill } from "./skill.ts";

export function skillPrompt(skills: readonly Skill[]): string {
  const rows = skills.filter(({ isHidden }) => !isHidden).map(({ name, description }) => `- ${name}: ${description}`);
  return rows.length === 0 ? "" : `# Skills\n\n${advice.trim()}\n\n${rows.join("\n")}`;
}
