// What MCP costs: one call against the protocol's own client, and a start with servers that are known.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment, type ToolContext } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Bench } from "../../../scripts/bench-types.ts";
import { DefinitionCache } from "../src/mcp/cache.ts";
import { ServerManager } from "../src/mcp/manager.ts";
import { modelServer } from "./model-server.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const SERVER = fileURLToPath(new URL("../test/mcp/rogue-server.mjs", import.meta.url));
const CALLS = 500;
const ROUNDS = 8;

export const benches: Bench[] = [
  {
    name: "one MCP call over the bare client",
    async run() {
      const folder = mkdtempSync(join(tmpdir(), "lathe-mcp-bench-"));
      const deps = defaultDeps();
      const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env, owner: deps.uuid() });
      const manager = new ServerManager({
        configs: [{ name: "bench", file: "bench", transport: "stdio", command: process.execPath, args: [SERVER] }],
        cache: new DefinitionCache(folder),
        deps,
        waitsForStart: true,
        warn: () => {},
        host: {
          env: () => env,
          values: { env: {}, run: async () => "", onSecret: () => {} },
          roots: () => [],
          version: "0",
          auth: async () => undefined,
          hooks: () => ({}),
        },
      });
      await manager.servers[0]?.connect();
      const echo = manager.tools().find(({ ofServer }) => ofServer.tool === "echo")?.tool;
      const context = { signal: new AbortController().signal, onOutput: () => {} } as unknown as ToolContext;
      const bare = new Client({ name: "bare", version: "0" });
      await bare.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER], stderr: "ignore" }));
      const args = { text: "x".repeat(200) };
      const timed = async (call: () => unknown): Promise<number> => {
        const begun = performance.now();
        for (let i = 0; i < CALLS; i++) await call();
        return (performance.now() - begun) / CALLS;
      };
      let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < ROUNDS; round++) {
        ours = Math.min(ours, await timed(() => echo?.execute(args, context)));
        theirs = Math.min(theirs, await timed(() => bare.callTool({ name: "echo", arguments: args })));
      }
      await Promise.all([bare.close(), manager.close()]);
      await env.cleanup();
      return {
        value: ours / theirs,
        unit: "x",
        budget: 1.3,
        note: `${(ours * 1000).toFixed(0)} us against ${(theirs * 1000).toFixed(0)} us`,
      };
    },
  },
  {
    name: "start to first request with 5 known MCP servers, over the same without",
    async run() {
      const server = await modelServer();
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-start-")));
      const homes = ["with", "without"].map((name) => join(dir, name));
      for (const home of homes) mkdirSync(home);
      const [configured = "", plain = ""] = homes;
      const five = Array.from({ length: 5 }, (_, i) => [`server${i}`, { command: process.execPath, args: [SERVER] }]);
      writeFileSync(join(configured, "mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(five) }));
      const timed = async (home: string): Promise<number> => {
        const env = {
          PATH: process.env["PATH"] ?? "",
          HOME: dir,
          LATHE_HOME: home,
          OPENAI_API_KEY: "k",
          OPENAI_BASE_URL: server.url,
        };
        const arrived = server.next();
        const begun = performance.now();
        const child = spawn(process.execPath, [CLI, "--model", "openai/gpt-5.2", "-p", "hello"], {
          cwd: dir,
          env,
          stdio: "ignore",
        });
        const closed = once(child, "close");
        await arrived;
        const took = performance.now() - begun;
        await closed;
        return took;
      };
      // The first run learns what the servers offer.
      await timed(configured);
      let [ours, bare] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < ROUNDS * 2; round++) {
        ours = Math.min(ours, await timed(configured));
        bare = Math.min(bare, await timed(plain));
      }
      server.close();
      return {
        value: ours / bare,
        unit: "x",
        budget: 1.3,
        note: `${ours.toFixed(1)} ms against ${bare.toFixed(1)} ms`,
      };
    },
  },
];
