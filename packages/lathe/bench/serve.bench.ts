// What `lathe serve` costs: its start, many readers of one session, and sessions that nobody uses.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModelServer, turn } from "@lathe/testkit";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { LatheClient } from "../src/doors/serve/client.ts";
import { TokenFile } from "../src/doors/serve/guard/token-file.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const BARE = `require("node:http").createServer((q, r) => r.end("{}"))
  .listen(0, "127.0.0.1", function () { console.log("http://127.0.0.1:" + this.address().port); });`;
const STARTS = 15;
const READERS = 50;
const DELTAS = 20_000;
const SESSIONS = 20;

export const benches: Bench[] = [
  {
    name: "lathe serve to its first byte over bare node:http",
    async run() {
      const home = newHome();
      let best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
      await firstByte([CLI, "serve", "--port", "0"], home, "SIGTERM"); // writes the code cache
      for (let i = 0; i < STARTS; i++)
        best = {
          ours: Math.min(best.ours, await firstByte([CLI, "serve", "--port", "0"], home)),
          bare: Math.min(best.bare, await firstByte(["-e", BARE], home)),
        };
      return ratio(best.ours, best.bare, { budget: 3, unit: "ms" });
    },
  },
  {
    name: `CPU of a server with ${READERS} readers of ${DELTAS} deltas over that with one`,
    async run() {
      const one = await readersCpu(1);
      const many = await readersCpu(READERS);
      return ratio(many, one, { budget: 3, unit: "ms" });
    },
  },
  {
    name: `memory of a server with ${SESSIONS} unused sessions over that with one`,
    async run() {
      const megabytes = async (sessions: number): Promise<number> => {
        const served = await start(newHome(), ["--idle", "300ms"]);
        try {
          for (let i = 0; i < sessions; i++) await served.client.createSession({ cwd: served.cwd });
          while (childrenOf(served.pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
          return residentBytes(served.pid) / 2 ** 20;
        } finally {
          await served.end();
        }
      };
      const one = await megabytes(1);
      const many = await megabytes(SESSIONS);
      return { value: many / one, unit: "x", budget: 1.3, note: `${many.toFixed(1)} MB against ${one.toFixed(1)} MB` };
    },
  },
];

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "lathe-serve-"));
  mkdirSync(join(home, "project"));
  return home;
}

const envOf = (home: string, more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  LATHE_HOME: join(home, ".lathe"),
  OPENAI_API_KEY: "k",
  ...more,
});

/** From the start of the process to the first byte of an answer. */
async function firstByte(argv: readonly string[], home: string, end: NodeJS.Signals = "SIGKILL"): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, argv, { cwd: join(home, "project"), env: envOf(home) });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const [response] = await once(get(`${/http:\S+/.exec(line)?.[0]}/v1/health`), "response");
  await once(response, "data");
  const took = performance.now() - begun;
  child.kill(end);
  await once(child, "exit");
  return took;
}

/** A server with a client that may do everything. */
async function start(home: string, args: readonly string[], more: Record<string, string> = {}) {
  const cwd = join(home, "project");
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0", ...args], { cwd, env: envOf(home, more) });
  child.stderr.pipe(process.stderr);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const tokens = new TokenFile(join(home, ".lathe/serve/tokens.json"), Date.now);
  const { token } = await tokens.add({ name: "bench", scopes: ["read", "prompt", "admin"], lastsMs: 600_000 });
  const client = new LatheClient({ url: /http:\S+/.exec(line)?.[0], token });
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { pid: child.pid ?? 0, cwd, client, end };
}

/** Milliseconds that the server, without its children, computes while an answer streams to its readers. */
async function readersCpu(readers: number): Promise<number> {
  const text = "word ".repeat(DELTAS);
  const model = await startModelServer({ script: [turn.text(text, { deltaChars: 5 })], fast: true });
  const served = await start(newHome(), [], { OPENAI_BASE_URL: model.baseUrl("openai") });
  const { client, pid, cwd } = served;
  try {
    const id = await client.createSession({ cwd, model: "openai/gpt-5.2" });
    const { seq } = await client.openSession(id);
    const read = async (): Promise<void> => {
      for await (const frame of client.events(id, { after: seq }))
        if (frame.kind === "event" && frame.event.type === "agent_end") return;
    };
    const all = Array.from({ length: readers }, read);
    const before = cpuMs(pid);
    await client.command(id, "prompt", { message: "write" });
    await Promise.all(all);
    return cpuMs(pid) - before;
  } finally {
    await served.end();
    await model.close();
  }
}

/** Fields 14 and 15 of stat, in hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
