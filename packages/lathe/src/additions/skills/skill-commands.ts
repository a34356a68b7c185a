// `/skill:<name> [what to do]`: the user gives the model a skill instead of waiting for it to find one.

import type { PromptCommand } from "../../conversation/session-contract.ts";
import type { Skill } from "../../found/skills/skill.ts";
import { skillPrompt } from "../../found/skills/skills.ts";

export function skillCommands(skills: readonly Skill[]): readonly PromptCommand[] {
  return skills.map((skill) => ({
    name: `skill:${skill.name}`,
    description: skill.description === "" ? `use the skill ${skill.name}` : skill.description,
    arguments: "[what to do]",
    whileWorking: true,
    expand: async (task, { session }) => {
      const { BUNDLED_SKILLS } = await import("../../found/skills/bundled/index.ts");
      if (Object.hasOwn(BUNDLED_SKILLS, skill.name))
        session.warn(`/skill:${skill.name} is the skill ${skill.source.path}, not the bundled one.`, "skill");
      return skillPrompt(skill, task);
    },
  }));
}
