// GitHub Copilot: `.github` in the project's folders, and `~/.copilot`.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import { everyHome } from "../homes.ts";
import { hooksIn } from "../hook-files.ts";
import { markdownFolder, skillFolder, textFile } from "../layouts.ts";
import { nearest, type Provider, type Scan } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";

const home = ({ place }: Scan): string => userFolder(place, AGENT_PLACES.github);
const [INSTRUCTIONS_FILE] = AGENT_PLACES.github.project;
const nearestOf = (look: Scan, path: (typeof AGENT_PLACES.github.project)[number]): string | undefined =>
  nearest(look, path);

export const github: Provider = {
  id: "github",
  name: "GitHub Copilot",
  priority: 30,
  loaders: {
    "context-file": (look) => {
      textFile(look, `${home(look)}/copilot-instructions.md`, "user");
      for (const folder of look.place.folders) textFile(look, `${folder}/${INSTRUCTIONS_FILE}`, "project");
    },
    instruction: (look) => {
      const folder = nearestOf(look, ".github/instructions");
      const layout = { endings: [".instructions.md"], nested: true };
      if (folder !== undefined) markdownFolder(look, folder, "project", layout);
      markdownFolder(look, `${home(look)}/instructions`, "user", layout);
    },
    prompt: (look) => {
      const folder = nearestOf(look, ".github/prompts");
      if (folder !== undefined) markdownFolder(look, folder, "project", { endings: [".prompt.md"] });
    },
    agent: (look) => {
      for (const [name, endings] of [
        ["agents", [".agent.md", ".md"]],
        ["chatmodes", [".chatmode.md"]],
      ] as const) {
        const folder = nearestOf(look, `.github/${name}`);
        if (folder !== undefined) markdownFolder(look, folder, "project", { endings, renames: true });
      }
      markdownFolder(look, `${home(look)}/agents`, "user", { endings: [".agent.md", ".md"], renames: true });
    },
    skill: (look) => {
      for (const { path, level } of everyHome(look, { user: home, project: ".github" }))
        skillFolder(look, `${path}/skills`, level);
    },
    "mcp-server": (look) => mcpServersIn(look, `${home(look)}/mcp-config.json`, "user"),
    hook: (look) => {
      const folder = nearestOf(look, ".github/hooks");
      if (folder === undefined) return;
      for (const { path } of look.filesIn(folder, [".json"]))
        hooksIn(look, { path, level: "project", timeoutUnit: "seconds" });
    },
  },
};
