// The skills of a project and its user, for one session: their list in the system prompt, `skill://`, and `/skill:<name>`.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { skillsOf } from "../../found/skills/skills.ts";
import { skillAddresses } from "./skill-addresses.ts";
import { skillCommands } from "./skill-commands.ts";
import { skillPrompt } from "./skill-prompt.ts";

export const skills: AdditionMaker = async (workspace) => {
  if (!workspace.settings["skills.enabled"]) return undefined;
  let set = await skillsOf(workspace);
  return {
    name: "skills",
    schemes: { skill: skillAddresses(() => set.skills) },
    systemParts: async () => {
      set = await skillsOf(workspace);
      return [{ name: "skills", text: skillPrompt(set.skills), stays: true }];
    },
    commands: async () => (workspace.settings["skills.enableSkillCommands"] ? skillCommands(set.skills) : []),
    opened: ({ session }) => {
      for (const warning of set.warnings) session.warn(warningLine(warning), "skill");
    },
  };
};
