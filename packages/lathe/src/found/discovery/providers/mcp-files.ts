// Servers that a project defines for any agent: `.vscode/mcp.json`, `.mcp.json` or `mcp.json` in its folders, and
// lsp.json there and in the user's home.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import type { Provider } from "../look.ts";
import { lspServersIn } from "../lsp-servers.ts";
import { mcpServersIn } from "../mcp-servers.ts";

export const vscode: Provider = {
  id: "vscode",
  name: "VS Code",
  priority: 20,
  loaders: {
    "mcp-server": (look) => {
      const [inProject] = AGENT_PLACES.vscode.project;
      for (const folder of look.place.folders) mcpServersIn(look, `${folder}/${inProject}`, "project");
      mcpServersIn(look, userFolder(look.place, AGENT_PLACES.vscode), "user");
    },
  },
};

export const mcpJson: Provider = {
  id: "mcp-json",
  name: "mcp.json",
  priority: 5,
  loaders: {
    "mcp-server": (look) => {
      for (const folder of look.place.folders)
        for (const name of AGENT_PLACES.mcpJson.project) mcpServersIn(look, `${folder}/${name}`, "project");
    },
  },
};

export const lspJson: Provider = {
  id: "lsp-json",
  name: "lsp.json",
  priority: 5,
  loaders: {
    "lsp-server": async (look) => {
      for (const folder of look.place.folders) await lspServersIn(look, folder, "project");
      await lspServersIn(look, look.place.userHome, "user");
    },
  },
};
