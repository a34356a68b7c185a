// Cline: the nearest `.clinerules` of the project (a folder or a file), and the user's rules, workflows and servers.

import { markdownFolder, skillFolder } from "../layouts.ts";
import { type Look, nearest, type Provider, type Scan } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { ruleScope } from "./claude.ts";

const NAME = ".clinerules";

export const cline: Provider = {
  id: "cline",
  name: "Cline",
  priority: 40,
  loaders: {
    rule: (look) => {
      projectRules(look);
      for (const folder of [`${home(look)}/rules`, `${look.place.userHome}/Documents/Cline/Rules`])
        markdownFolder(look, folder, "user", { translate: ruleScope });
    },
    command: (look) => {
      const folder = nearest(look, `${NAME}/workflows`);
      if (folder !== undefined) markdownFolder(look, folder, "project");
      for (const own of [`${home(look)}/data/workflows`, `${look.place.userHome}/Documents/Cline/Workflows`])
        markdownFolder(look, own, "user");
    },
    skill: (look) => {
      for (const folder of look.place.folders) skillFolder(look, `${folder}/.cline/skills`, "project");
      skillFolder(look, `${home(look)}/skills`, "user");
    },
    "mcp-server": (look) => mcpServersIn(look, `${home(look)}/data/settings/cline_mcp_settings.json`, "user"),
  },
};

const home = ({ place }: Scan): string => `${place.userHome}/.cline`;

function projectRules(look: Look<"rule">): void {
  for (const folder of look.place.folders) {
    const path = `${folder}/${NAME}`;
    const value = look.markdown(path, "project");
    if (value)
      look.add("clinerules", { level: "project", path }, { ...value, frontmatter: ruleScope(value.frontmatter) });
    else markdownFolder(look, path, "project", { translate: ruleScope });
    if (look.items.length > 0) return;
  }
}
