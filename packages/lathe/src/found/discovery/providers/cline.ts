// Cline: the nearest `.clinerules` of the project (a folder or a file), and the user's rules, workflows and servers.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import { markdownFolder, skillFolder } from "../layouts.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { nearest, type Provider, type Scan, type Search } from "../search.ts";
import { ruleScope } from "./claude.ts";

const [, DOCUMENTS] = AGENT_PLACES.cline.user;
const [RULES, OWN] = AGENT_PLACES.cline.project;

export const cline: Provider = {
  id: "cline",
  name: "Cline",
  priority: 40,
  loaders: {
    rule: (search) => {
      projectRules(search);
      for (const folder of [`${home(search)}/rules`, `${search.place.userHome}/${DOCUMENTS}/Rules`])
        markdownFolder(search, folder, "user", { translate: ruleScope });
    },
    command: (search) => {
      const folder = nearest(search, `${RULES}/workflows`);
      if (folder !== undefined) markdownFolder(search, folder, "project");
      for (const own of [`${home(search)}/data/workflows`, `${search.place.userHome}/${DOCUMENTS}/Workflows`])
        markdownFolder(search, own, "user");
    },
    skill: (search) => {
      for (const folder of search.place.folders) skillFolder(search, `${folder}/${OWN}/skills`, "project");
      skillFolder(search, `${home(search)}/skills`, "user");
    },
    "mcp-server": (search) => mcpServersIn(search, `${home(search)}/data/settings/cline_mcp_settings.json`, "user"),
  },
};

const home = ({ place }: Scan): string => userFolder(place, AGENT_PLACES.cline);

function projectRules(search: Search<"rule">): void {
  for (const folder of search.place.folders) {
    const path = `${folder}/${RULES}`;
    const value = search.markdown(path, "project");
    if (value)
      search.add("clinerules", { level: "project", path }, { ...value, frontmatter: ruleScope(value.frontmatter) });
    else markdownFolder(search, path, "project", { translate: ruleScope });
    if (search.items.length > 0) return;
  }
}
