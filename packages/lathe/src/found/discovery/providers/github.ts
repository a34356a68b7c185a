// GitHub Copilot: `.github` in the project's folders, and `~/.copilot`.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import { everyHome } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { markdownFolder, skillFolder, textFile } from "../layouts.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import { nearest, type Provider, type Scan } from "../search.ts";

const home = ({ place }: Scan): string => userFolder(place, AGENT_PLACES.github);
const [INSTRUCTIONS_FILE] = AGENT_PLACES.github.project;
const nearestOf = (search: Scan, path: (typeof AGENT_PLACES.github.project)[number]): string | undefined =>
  nearest(search, path);

export const github: Provider = {
  id: "github",
  name: "GitHub Copilot",
  priority: 30,
  loaders: {
    "context-file": (search) => {
      textFile(search, `${home(search)}/copilot-instructions.md`, "user");
      for (const folder of search.place.folders) textFile(search, `${folder}/${INSTRUCTIONS_FILE}`, "project");
    },
    instruction: (search) => {
      const folder = nearestOf(search, ".github/instructions");
      const layout = { endings: [".instructions.md"], nested: true };
      if (folder !== undefined) markdownFolder(search, folder, "project", layout);
      markdownFolder(search, `${home(search)}/instructions`, "user", layout);
    },
    prompt: (search) => {
      const folder = nearestOf(search, ".github/prompts");
      if (folder !== undefined) markdownFolder(search, folder, "project", { endings: [".prompt.md"] });
    },
    agent: (search) => {
      for (const [name, endings] of [
        ["agents", [".agent.md", ".md"]],
        ["chatmodes", [".chatmode.md"]],
      ] as const) {
        const folder = nearestOf(search, `.github/${name}`);
        if (folder !== undefined) markdownFolder(search, folder, "project", { endings, renames: true });
      }
      markdownFolder(search, `${home(search)}/agents`, "user", { endings: [".agent.md", ".md"], renames: true });
    },
    skill: (search) => {
      for (const { path, level } of everyHome(search, { user: home, project: ".github" }))
        skillFolder(search, `${path}/skills`, level);
    },
    "mcp-server": (search) => mcpServersIn(search, `${home(search)}/mcp-config.json`, "user"),
    hook: (search) => {
      const folder = nearestOf(search, ".github/hooks");
      if (folder === undefined) return;
      for (const { path } of search.filesIn(folder, [".json"]))
        hooksIn(search, { path, level: "project", timeoutUnit: "seconds" });
    },
  },
};
