// Real servers for the tests of MCP, and a manager over them without a session.

import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment, type ToolContext, type ToolDef, type ToolResult } from "@lathe/agent";
import { defaultDeps, type JsonObject } from "@lathe/llm";
import { DefinitionCache } from "../../src/additions/mcp/cache.ts";
import { type ManagerOptions, ServerManager } from "../../src/additions/mcp/manager.ts";
import type { ServerConfig } from "../../src/additions/mcp/types.ts";

export const ROGUE = fileURLToPath(new URL("rogue-server.mjs", import.meta.url));

/** The entry file of one of the official servers. */
export function officialServer(name: "everything" | "filesystem" | "memory"): string {
  const pack = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return join(dirname(pack), "dist", "index.js");
}

export const stdio = (name: string, file: string, args: readonly string[] = []): ServerConfig => ({
  name,
  file: "mcp.json",
  transport: "stdio",
  command: process.execPath,
  args: [file, ...args],
});

export interface Kit {
  readonly manager: ServerManager;
  readonly warnings: string[];
  tool(name: string): ToolDef;
  call(name: string, args?: JsonObject, signal?: AbortSignal): Promise<string>;
  result(name: string, args?: JsonObject): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface KitOptions {
  readonly cache?: string;
  readonly waitsForStart?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly host?: Partial<ManagerOptions["host"]>;
}

export function managerOf(configs: readonly ServerConfig[], options: KitOptions = {}): Kit {
  const deps = defaultDeps();
  const folder = options.cache ?? mkdtempSync(join(tmpdir(), "lathe-mcp-"));
  const env = new LocalEnvironment({
    cwd: folder,
    baseEnv: process.env,
    envPolicy: "inherit_core",
    owner: deps.uuid(),
  });
  const warnings: string[] = [];
  const manager = new ServerManager({
    configs,
    cache: new DefinitionCache(folder),
    deps,
    waitsForStart: options.waitsForStart ?? true,
    warn: (message) => warnings.push(message),
    host: {
      env: () => env,
      values: {
        env: options.env ?? {},
        run: async (command) => (await env.execCommand(command, 5_000)).stdout.trim(),
        onSecret: () => {},
        redact: (value) => value,
      },
      roots: () => [folder],
      version: "0",
      auth: async () => undefined,
      hooks: () => ({}),
      ...options.host,
    },
  });
  const tool = (name: string): ToolDef => {
    const all = manager.tools();
    const found = all.find((one) => one.name === name);
    if (!found) throw new Error(`no tool ${name} among ${all.map((one) => one.name).join(", ")}`);
    return found;
  };
  const result = async (
    name: string,
    args: JsonObject = {},
    signal = new AbortController().signal,
  ): Promise<ToolResult> =>
    (await tool(name).execute(args, { signal, onOutput: () => {} } as unknown as ToolContext)) as ToolResult;
  return {
    manager,
    warnings,
    tool,
    result,
    call: async (name, args, signal) =>
      (await result(name, args, signal)).content
        .map((part) => (part.kind === "text" ? part.text : `<${part.image.mediaType}>`))
        .join("\n"),
    close: async () => {
      await manager.close();
      await env.cleanup();
    },
  };
}

export const never = new AbortController().signal;
