// What ACP costs over RPC: one prompt with one short answer, through the built command, by the fastest of many.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 400;

/** A host that sends a line and waits for one that fits. */
class Host {
  readonly #child: ChildProcessWithoutNullStreams;
  #waiting: { readonly fits: RegExp; readonly resolve: (line: string) => void } | undefined;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
    this.#child = spawn(process.execPath, [CLI, ...args, "--model", "openai/gpt-5"], { cwd, env });
    this.#child.stderr.resume();
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      if (this.#waiting?.fits.test(line)) this.#waiting.resolve(line);
    });
  }

  ask(message: object, fits: RegExp): Promise<string> {
    const answer = new Promise<string>((resolve) => {
      this.#waiting = { fits, resolve };
    });
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    return answer;
  }

  close(): void {
    this.#child.stdin.end();
  }
}

export const benches: Bench[] = [
  {
    name: "one ACP round over one RPC round",
    async run() {
      const server = await modelServer();
      const home = mkdtempSync(join(tmpdir(), "lathe-acp-bench-"));
      const env = { PATH: process.env["PATH"] ?? "", HOME: home, OPENAI_API_KEY: "bench", OPENAI_BASE_URL: server.url };
      const acp = new Host(["acp"], env, home);
      const rpc = new Host(["--mode", "rpc"], env, home);
      let id = 0;
      const request = (method: string, params: object): Promise<string> =>
        acp.ask({ jsonrpc: "2.0", id: ++id, method, params }, new RegExp(`"id":${id},"(?:result|error)"`));
      await request("initialize", { protocolVersion: 1 });
      const { sessionId } = JSON.parse(await request("session/new", { cwd: home, mcpServers: [] })).result;
      const rounds = {
        acp: () => request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] }),
        rpc: () => rpc.ask({ type: "prompt", message: "hello" }, /"type":"agent_end"/),
      };
      const best = { acp: Number.POSITIVE_INFINITY, rpc: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++)
        for (const door of ["acp", "rpc"] as const) {
          const begun = performance.now();
          await rounds[door]();
          best[door] = Math.min(best[door], performance.now() - begun);
        }
      acp.close();
      rpc.close();
      server.close();
      return ratio(best.acp, best.rpc, { budget: 1.2, unit: "ms" });
    },
  },
];
