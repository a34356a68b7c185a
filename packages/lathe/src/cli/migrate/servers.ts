// A server of another agent, as our mcp.json has it.

import type { JsonObject } from "@lathe/llm";
import type { McpServerValue } from "../../found/discovery/types.ts";

/** As such files have it. */
export function writtenServer({ transport, timeoutMs, startTimeoutMs, ...rest }: McpServerValue): JsonObject {
  return {
    ...(transport === "stdio" ? {} : { type: transport }),
    ...rest,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...(startTimeoutMs === undefined ? {} : { startupTimeout: startTimeoutMs }),
  } as JsonObject;
}
