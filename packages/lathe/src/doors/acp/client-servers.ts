// Converts the MCP servers that a client passes for a session to our configuration. Their values are literal: no
// variables are expanded.

import type { HttpHeader, McpServer } from "@agentclientprotocol/sdk/unstable";
import type { ServerConfig } from "../../additions/mcp/types.ts";
import { usageError } from "../../platform/usage/exit.ts";

export function serversOf(servers: readonly McpServer[] = []): readonly ServerConfig[] {
  const configs = servers.map(configOf);
  const twice = configs.find(({ name }, i) => configs.findIndex((one) => one.name === name) !== i);
  if (twice) throw usageError(`Two MCP servers are called "${twice.name}". Give each a name of its own.`);
  return configs;
}

function configOf(server: McpServer): ServerConfig {
  const base = { name: server.name, file: "the editor", isLiteral: true } as const;
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { ...base, transport: "stdio", command, args, env: valuesOf(env) };
  }
  if (server.type === "acp") throw usageError(`MCP server "${server.name}": servers over ACP are not supported here.`);
  return { ...base, transport: server.type, url: server.url, headers: valuesOf(server.headers) };
}

const valuesOf = (pairs: readonly HttpHeader[]): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
