// Servers that a project defines for any agent: `.vscode/mcp.json`, `.mcp.json` or `mcp.json` in its folders, and
// lsp.json there and in the user's home.

import { AGENT_PLACES, userFolder } from "../agent-places.ts";
import { lspServersIn } from "../lsp-servers.ts";
import { mcpServersIn } from "../mcp-servers.ts";
import type { Provider } from "../search.ts";

export const vscode: Provider = {
  id: "vscode",
  name: "VS Code",
  priority: 20,
  loaders: {
    "mcp-server": (search) => {
      const [inProject] = AGENT_PLACES.vscode.project;
      for (const folder of search.place.folders) mcpServersIn(search, `${folder}/${inProject}`, "project");
      mcpServersIn(search, userFolder(search.place, AGENT_PLACES.vscode), "user");
    },
  },
};

export const mcpJson: Provider = {
  id: "mcp-json",
  name: "mcp.json",
  priority: 5,
  loaders: {
    "mcp-server": (search) => {
      for (const folder of search.place.folders)
        for (const name of AGENT_PLACES.mcpJson.project) mcpServersIn(search, `${folder}/${name}`, "project");
    },
  },
};

export const lspJson: Provider = {
  id: "lsp-json",
  name: "lsp.json",
  priority: 5,
  loaders: {
    "lsp-server": async (search) => {
      for (const folder of search.place.folders) await lspServersIn(search, folder, "project");
      await lspServersIn(search, search.place.userHome, "user");
    },
  },
};
