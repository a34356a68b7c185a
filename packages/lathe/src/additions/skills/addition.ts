// The skills of a project and its user, for one session: their list in the system prompt, `skill://`, and `/skill:<name>`.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { Source } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { chooseSkills, customSkills, type SkillSet } from "./skill.ts";
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

/** All that may be used here. Agents that begin with skills find them by name. */
export async function skillsOf(workspace: SessionWorkspace): Promise<SkillSet> {
  const { settings, cwd, machine } = workspace;
  const { all } = await (await workspace.discovery()).of("skill");
  const custom = customSkills(settings["skills.customDirectories"], { cwd, userHome: machine.userHome });
  const set = chooseSkills([...all.filter(({ ignored }) => ignored === undefined), ...custom.found], {
    include: settings["skills.includeSkills"],
    ignore: settings["skills.ignoredSkills"],
    allows: (source) => isEnabled(settings, source),
  });
  return { ...set, warnings: [...set.warnings, ...custom.warnings] };
}

type Settings = SessionWorkspace["settings"];

/** Other sources are turned off with `discovery.disabledProviders`. */
function isEnabled(settings: Settings, { provider, level }: Source): boolean {
  if (level !== "user" && level !== "project") return true;
  const isUser = level === "user";
  if (provider === "native") return settings[isUser ? "skills.enableLatheUser" : "skills.enableLatheProject"];
  if (provider === "claude") return settings[isUser ? "skills.enableClaudeUser" : "skills.enableClaudeProject"];
  if (provider === "codex" && isUser) return settings["skills.enableCodexUser"];
  return true;
}
