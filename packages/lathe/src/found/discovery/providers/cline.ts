// Cline: the nearest `.clinerules` of the project (a folder or a file), and the user's rules, workflows and servers.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import { markdownFolder, skillFolder } from "../layouts.ts";
import { type Look, nearest, type Provider, type Scan } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { ruleScope } from "./claude.ts";

const [, DOCUMENTS] = AGENT_PLACES.cline.user;
const [RULES, OWN] = AGENT_PLACES.cline.project;

export const cline: Provider = {
  id: "cline",
  name: "Cline",
  priority: 40,
  loaders: {
    rule: (look) => {
      projectRules(look);
      for (const folder of [`${home(look)}/rules`, `${look.place.userHome}/${DOCUMENTS}/Rules`])
        markdownFolder(look, folder, "user", { translate: ruleScope });
    },
    command: (look) => {
      const folder = nearest(look, `${RULES}/workflows`);
      if (folder !== undefined) markdownFolder(look, folder, "project");
      for (const own of [`${home(look)}/data/workflows`, `${look.place.userHome}/${DOCUMENTS}/Workflows`])
        markdownFolder(look, own, "user");
    },
    skill: (look) => {
      for (const folder of look.place.folders) skillFolder(look, `${folder}/${OWN}/skills`, "project");
      skillFolder(look, `${home(look)}/skills`, "user");
    },
    "mcp-server": (look) => mcpServersIn(look, `${home(look)}/data/settings/cline_mcp_settings.json`, "user"),
  },
};

const home = ({ place }: Scan): string => userFolder(place, AGENT_PLACES.cline);

function projectRules(look: Look<"rule">): void {
  for (const folder of look.place.folders) {
    const path = `${folder}/${RULES}`;
    const value = look.markdown(path, "project");
    if (value)
      look.add("clinerules", { level: "project", path }, { ...value, frontmatter: ruleScope(value.frontmatter) });
    else markdownFolder(look, path, "project", { translate: ruleScope });
    if (look.items.length > 0) return;
  }
}
