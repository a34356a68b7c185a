// Servers that a project has for any agent: `.vscode/mcp.json`, and `.mcp.json` or `mcp.json` in its folders.

import type { Provider } from "../look.ts";
import { mcpServersIn } from "../mcp-servers.ts";

export const vscode: Provider = {
  id: "vscode",
  name: "VS Code",
  priority: 20,
  loaders: {
    "mcp-server": (look) => {
      for (const folder of look.place.folders) mcpServersIn(look, `${folder}/.vscode/mcp.json`, "project");
      const config = look.place.env["XDG_CONFIG_HOME"] || `${look.place.userHome}/.config`;
      mcpServersIn(look, `${config}/Code/User/mcp.json`, "user");
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
        for (const name of [".mcp.json", "mcp.json"]) mcpServersIn(look, `${folder}/${name}`, "project");
    },
  },
};
