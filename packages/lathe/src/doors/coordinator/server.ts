// The coordinator as an MCP server: lists the tools of the contract and runs their calls. Ends with its input.

import { messageOf } from "@lathe/llm";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Machine } from "../../platform/machine/machine.ts";
import type { Configuration } from "./configuration.ts";
import { SERVER_NAME, TOOL_NAMES, TOOLS, toolNamed, wireName } from "./contract.ts";
import { openCoordinator } from "./coordinator.ts";
import { InputLines } from "./input-lines.ts";
import { Keepers } from "./keepers.ts";
import type { Reader } from "./reading.ts";
import { finishStarts } from "./sessions.ts";
import { callTool } from "./tools.ts";

/** Each connection gets its own server; all share one coordinator. */
function coordinatorServer(reader: Reader, version: string): Server {
  const server = new Server({ name: SERVER_NAME, version }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: TOOL_NAMES.map((name) => ({
      name: wireName(name),
      description: TOOLS[name].description,
      inputSchema: { type: "object" as const, ...(TOOLS[name].params as object) },
      annotations: { readOnlyHint: TOOLS[name].needs === undefined, openWorldHint: false },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const name = toolNamed(params.name);
    if (!name)
      return toolResult(
        { ok: false, error: { code: "unknown_tool", message: "There is no tool of this name." } },
        true,
      );
    const { data, isError } = await callTool(reader, name, params.arguments ?? {}, mcpReq.signal);
    return toolResult(data, isError);
  });
  return server;
}

const toolResult = (data: Record<string, unknown>, isError: boolean) => ({
  content: [{ type: "text" as const, text: JSON.stringify(data) }],
  structuredContent: data,
  ...(isError ? { isError } : {}),
});

interface OpenReader {
  readonly reader: Reader;
  close(): void;
}

/** Keeps the sessions of its namespace going until it is closed. */
export async function openReader(machine: Machine, configuration: Configuration): Promise<OpenReader> {
  const coordinator = openCoordinator(machine, configuration);
  const keepers = new Keepers(coordinator, { isPassive: false });
  await finishStarts(coordinator);
  keepers.keepAll();
  const close = (): void => {
    keepers.close();
    coordinator.journal.close();
  };
  return { reader: { coordinator, keepers }, close };
}

/** Runs until the client disconnects. */
export async function serveCoordinator(machine: Machine, configuration: Configuration, version: string): Promise<void> {
  const { stdin, terminal, stderr } = machine;
  const { reader, close } = await openReader(machine, configuration);
  const lines = new InputLines(
    (error) => void terminal.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`),
  );
  // Each reply that waits for a slow reader adds a listener.
  terminal.setMaxListeners(0);
  const transport = new StdioServerTransport(lines, terminal);
  const ended = new Promise<void>((resolve) => lines.once("end", resolve).once("close", resolve));
  const handle = serveStdio(() => coordinatorServer(reader, version), {
    transport,
    onerror: (error) => void stderr.write(`lathe: ${messageOf(error)}\n`),
  });
  stdin.once("close", () => stdin.readableEnded || lines.destroy());
  stdin.pipe(lines);
  await ended;
  await handle.close();
  close();
}
