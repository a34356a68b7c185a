// Windsurf: `~/.codeium/windsurf` and the nearest `.windsurf` of the project. Its workflows are called commands
// elsewhere.

import { AGENT_PLACES } from "../agent-places.ts";
import type { Frontmatter } from "../frontmatter.ts";
import { everyHome, foldersOf, homesOf } from "../homes.ts";
import { markdownFolder, oldRuleFile, skillFolder } from "../layouts.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import type { Provider } from "../search.ts";

const FOLDERS = foldersOf(AGENT_PLACES.windsurf);

export const windsurf: Provider = {
  id: "windsurf",
  name: "Windsurf",
  priority: 50,
  loaders: {
    rule: (search) => {
      const path = `${FOLDERS.user(search)}/memories/global_rules.md`;
      const value = search.markdown(path, "user");
      if (value)
        search.add(
          "global_rules",
          { level: "user", path },
          { ...value, frontmatter: { alwaysApply: true, ...value.frontmatter } },
        );
      for (const { path: home, level } of homesOf(search, FOLDERS, "user"))
        markdownFolder(search, `${home}/rules`, level, { translate: ruleFromTrigger });
      oldRuleFile(search, AGENT_PLACES.windsurf.project[1]);
    },
    command: (search) => {
      for (const { path, level } of homesOf(search, FOLDERS, "user"))
        markdownFolder(search, `${path}/${level === "user" ? "global_workflows" : "workflows"}`, level);
    },
    skill: (search) => {
      for (const { path, level } of everyHome(search, FOLDERS)) skillFolder(search, `${path}/skills`, level);
    },
    "mcp-server": (search) => mcpServersIn(search, `${FOLDERS.user(search)}/mcp_config.json`, "user"),
  },
};

/** `trigger` says when a rule applies: always, for some files, or when the model decides so from its description. */
function ruleFromTrigger({ trigger, globs, description, ...rest }: Frontmatter): Frontmatter {
  if (trigger === "always_on" || trigger === undefined) return { ...rest, description, alwaysApply: true };
  if (trigger === "glob") return { ...rest, description, globs };
  return trigger === "model_decision" ? { ...rest, description } : rest;
}
