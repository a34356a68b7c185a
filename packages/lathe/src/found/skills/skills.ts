// The skills of a project and its user: which may be used, and how one is sent to the model.

import type { DiscoveredWorkspace } from "../discovery/discovery.ts";
import type { Source } from "../discovery/types.ts";
import { chooseSkills, customSkills, type Skill, type SkillSet } from "./skill.ts";
import template from "./skill-prompt.md";

/** All skills that may be used here. Agents that start with skills find them by name. */
export async function skillsOf(workspace: DiscoveredWorkspace): Promise<SkillSet> {
  const { settings, cwd, machine } = workspace;
  if (!settings["skills.enabled"]) return { skills: [], warnings: [] };
  const { all } = await (await workspace.discovery()).of("skill");
  const custom = customSkills(settings["skills.customDirectories"], { cwd, userHome: machine.userHome });
  const set = chooseSkills([...all.filter(({ ignored }) => ignored === undefined), ...custom.found], {
    include: settings["skills.includeSkills"],
    ignore: settings["skills.ignoredSkills"],
    allows: (source) => isEnabled(settings, source),
  });
  return { ...set, warnings: [...set.warnings, ...custom.warnings] };
}

type Settings = DiscoveredWorkspace["settings"];

/** Other sources are turned off with `discovery.disabledProviders`. */
function isEnabled(settings: Settings, { provider, level }: Source): boolean {
  if (level !== "user" && level !== "project") return true;
  const isUser = level === "user";
  if (provider === "native") return settings[isUser ? "skills.enableLatheUser" : "skills.enableLatheProject"];
  if (provider === "claude") return settings[isUser ? "skills.enableClaudeUser" : "skills.enableClaudeProject"];
  if (provider === "codex" && isUser) return settings["skills.enableCodexUser"];
  return true;
}

/** The skill in the form that is sent to the model. */
export function skillPrompt({ name, body }: Pick<Skill, "name" | "body">, task = ""): string {
  const text = template.trim().replaceAll("{{name}}", name);
  return [`<skill name="${name}">\n${text}\n\n${body}\n</skill>`, ...(task === "" ? [] : [task])].join("\n\n");
}
