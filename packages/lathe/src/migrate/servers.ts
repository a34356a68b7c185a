// MCP servers in our mcp.json.

import { isRecord } from "../discovery/structured.ts";
import type { McpServerValue } from "../discovery/types.ts";
import { readJsonFile, updateJsonFile } from "../home/json-file.ts";

export function readServers(file: string): Readonly<Record<string, unknown>> {
  const value = readJsonFile(file);
  return isRecord(value) && isRecord(value["mcpServers"]) ? value["mcpServers"] : {};
}

export async function addServer(file: string, name: string, server: unknown): Promise<void> {
  await updateJsonFile(file, (value) => {
    const before = isRecord(value) ? value : {};
    return { ...before, mcpServers: { ...readServers(file), [name]: server } };
  });
}

/** As such files have it. */
export function writtenServer({
  transport,
  timeoutMs,
  startTimeoutMs,
  ...rest
}: McpServerValue): Readonly<Record<string, unknown>> {
  return {
    ...(transport === "stdio" ? {} : { type: transport }),
    ...rest,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startupTimeout: startTimeoutMs }),
  };
}
