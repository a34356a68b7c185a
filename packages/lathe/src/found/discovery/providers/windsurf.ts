// Windsurf: `~/.codeium/windsurf` and the nearest `.windsurf` of the project. Its workflows are called commands
// elsewhere.

import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { everyHome, foldersOf, homesOf } from "../homes.ts";
import { markdownFolder, oldRuleFile, skillFolder } from "../layouts.ts";
import type { Provider } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";

const FOLDERS = foldersOf(AGENT_PLACES.windsurf);

export const windsurf: Provider = {
  id: "windsurf",
  name: "Windsurf",
  priority: 50,
  loaders: {
    rule: (look) => {
      const path = `${FOLDERS.user(look)}/memories/global_rules.md`;
      const value = look.markdown(path, "user");
      if (value)
        look.add(
          "global_rules",
          { level: "user", path },
          { ...value, frontmatter: { alwaysApply: true, ...value.frontmatter } },
        );
      for (const { path: home, level } of homesOf(look, FOLDERS, "user"))
        markdownFolder(look, `${home}/rules`, level, { translate: ruleFromTrigger });
      oldRuleFile(look, AGENT_PLACES.windsurf.project[1]);
    },
    command: (look) => {
      for (const { path, level } of homesOf(look, FOLDERS, "user"))
        markdownFolder(look, `${path}/${level === "user" ? "global_workflows" : "workflows"}`, level);
    },
    skill: (look) => {
      for (const { path, level } of everyHome(look, FOLDERS)) skillFolder(look, `${path}/skills`, level);
    },
    "mcp-server": (look) => mcpServersIn(look, `${FOLDERS.user(look)}/mcp_config.json`, "user"),
  },
};

/** `trigger` says when a rule applies: always, for some files, or when the model decides so from its description. */
function ruleFromTrigger({ trigger, globs, description, ...rest }: Frontmatter): Frontmatter {
  if (trigger === "always_on" || trigger === undefined) return { ...rest, description, alwaysApply: true };
  if (trigger === "glob") return { ...rest, description, globs };
  return trigger === "model_decision" ? { ...rest, description } : rest;
}
