// What MCP costs: one call against the protocol's own client. The start with servers is in additions-start.bench.ts.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment, type ToolContext } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Bench } from "../../../scripts/bench-types.ts";
import { DefinitionCache } from "../src/additions/mcp/cache.ts";
import { ServerManager } from "../src/additions/mcp/manager.ts";

const SERVER = fileURLToPath(new URL("../test/mcp/rogue-server.mjs", import.meta.url));
// Short rounds and many of them: on a busy machine some round still runs undisturbed.
const CALLS = 100;
const ROUNDS = 60;

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
          values: { env: {}, run: async () => "", onSecret: () => {}, redact: (value) => value },
          roots: () => [],
          version: "0",
          auth: async () => undefined,
          hooks: () => ({}),
        },
      });
      await manager.servers[0]?.connect();
      const echo = manager.tools().find(({ ofServer }) => ofServer.tool === "echo");
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
];
