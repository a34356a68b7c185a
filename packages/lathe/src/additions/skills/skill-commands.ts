// `/skill:<name> [what to do]`: the person gives the model a skill, instead of waiting for it to find one.

import type { PromptCommand } from "../../conversation/session-contract.ts";
import type { Skill } from "../../found/skills/skill.ts";
import { givenSkill } from "../../found/skills/skills.ts";

export function skillCommands(skills: readonly Skill[]): readonly PromptCommand[] {
  return skills.map((skill) => ({
    name: `skill:${skill.name}`,
    description: skill.description === "" ? `use the skill ${skill.name}` : skill.description,
    arguments: "[what to do]",
    whileWorking: true,
    expand: (task) => givenSkill(skill, task),
  }));
}
