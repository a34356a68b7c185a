// `/skill:<name> [what to do]`: the person gives the model a skill, instead of waiting for it to find one.

import type { PromptCommand } from "../../conversation/session-contract.ts";
import given from "./given.md";
import type { Skill } from "./skill.ts";

export function skillCommands(skills: readonly Skill[]): readonly PromptCommand[] {
  return skills.map((skill) => ({
    name: `skill:${skill.name}`,
    description: skill.description === "" ? `use the skill ${skill.name}` : skill.description,
    arguments: "[what to do]",
    whileWorking: true,
    expand: (task) => givenSkill(skill, task),
  }));
}

/** A skill as it is put before the model. */
function givenSkill({ name, body }: Skill, task = ""): string {
  const text = given.trim().replaceAll("{{name}}", name);
  return [`<skill name="${name}">\n${text}\n\n${body}\n</skill>`, ...(task === "" ? [] : [task])].join("\n\n");
}
