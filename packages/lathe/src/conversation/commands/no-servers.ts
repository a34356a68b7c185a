// `/mcp` when no server is configured. With servers, the MCP addition brings the real command.

import type { SlashCommand } from "./command.ts";

export const NO_SERVERS = "No MCP server is configured. Add one: lathe mcp add <name> <command or address>";

export const mcpWithoutServers: SlashCommand = {
  name: "mcp",
  description: "show the MCP servers, or change one",
  whileWorking: true,
  yields: true,
  run: (_conversation, _argument, view) =>
    view.line(`${NO_SERVERS}\nIt takes effect in the next session: /new, or start lathe again.`),
};
