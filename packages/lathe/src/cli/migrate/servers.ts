// Converts a server of another agent to an entry of our mcp.json.

import type { JsonObject } from "@lathe/llm";
import type { McpServerValue } from "../../found/discovery/types.ts";

/** The entry in the form such files use. */
export function serverEntry({ transport, timeoutMs, startTimeoutMs, ...rest }: McpServerValue): JsonObject {
  return {
    ...(transport === "stdio" ? {} : { type: transport }),
    ...rest,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startupTimeout: startTimeoutMs }),
  } as JsonObject;
}
