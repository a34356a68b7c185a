// What verification costs: nothing to a turn that changes no file, and little more than the command itself where its tests are unchanged.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { verify } from "@lathe/agent/verify";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { watchOf } from "../../agent/test/verify/work.ts";
import { modelServer } from "./model-server.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const TURNS = 400;
const WARM_UP = 40;
const VERIFICATIONS = 7;
const FILES = 2_000;

export const benches: Bench[] = [
  {
    name: "a turn without changes with checks configured over one without checks",
    async run() {
      const server = await modelServer();
      const hosts = { checks: new Host(server.url, ["--check", "npm test"]), none: new Host(server.url, []) };
      const times = { checks: [] as number[], none: [] as number[] };
      for (let turn = 0; turn < TURNS + WARM_UP; turn++)
        // In turns, so that a busy moment of the machine meets both.
        for (const kind of turn % 2 === 0 ? (["checks", "none"] as const) : (["none", "checks"] as const)) {
          const took = await hosts[kind].prompt("hello");
          if (turn >= WARM_UP) times[kind].push(took);
        }
      await Promise.all([hosts.checks.close(), hosts.none.close()]);
      server.close();
      return ratio(lowerQuarter(times.checks), lowerQuarter(times.none), { budget: 1.02, unit: "ms" });
    },
  },
  {
    name: `a verification of unchanged tests, project of ${FILES} files, over the command itself`,
    async run() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-verify-bench-")));
      try {
        const root = makeProject(folder);
        const best = { ours: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY };
        for (let round = 0; round < VERIFICATIONS; round++) {
          best.ours = Math.min(best.ours, await verification(folder, root, round));
          best.plain = Math.min(
            best.plain,
            await timed(() => execFileSync("bash", ["-c", "npm test"], { cwd: root, stdio: "pipe" })),
          );
        }
        return ratio(best.ours, best.plain, { budget: 1.15, unit: "ms" });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];

const lowerQuarter = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 4)]!;

/** A session over RPC. */
class Host {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #home = mkdtempSync(join(tmpdir(), "lathe-turn-bench-"));
  #ended: () => void = () => {};

  constructor(url: string, options: readonly string[]) {
    mkdirSync(join(this.#home, "project"));
    this.#child = spawn(process.execPath, [CLI, "--mode", "rpc", "--model", "openai/gpt-5.2", ...options], {
      cwd: join(this.#home, "project"),
      env: { PATH: process.env["PATH"] ?? "", HOME: this.#home, OPENAI_API_KEY: "bench", OPENAI_BASE_URL: url },
    });
    this.#child.stderr.resume();
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      if (line.includes('"type":"agent_end"')) this.#ended();
    });
  }

  /** How long it takes until the input has ended. */
  async prompt(message: string): Promise<number> {
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    const begun = performance.now();
    this.#child.stdin.write(`${JSON.stringify({ type: "prompt", message })}\n`);
    await ended;
    return performance.now() - begun;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin.end();
    await closed;
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** A repository whose tests compute for about a second and a half, as a small suite does. */
function makeProject(folder: string): string {
  const root = join(folder, "project");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (let i = 0; i < FILES; i++) write(`src/part${Math.floor(i / 50)}/file${i}.js`, `module.exports = ${i};\n`);
  write("package.json", '{ "name": "bench", "scripts": { "test": "node tests/run.js" } }\n');
  write(
    "tests/run.js",
    'const { createHash } = require("node:crypto"); let sum = Buffer.alloc(64);\nfor (let i = 0; i < 900_000; i++) sum = createHash("sha256").update(sum).digest();\n',
  );
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: root, stdio: "pipe" });
  };
  git("init", "-q", ".");
  git("add", "-A");
  git("commit", "-qm", "first");
  return root;
}

/** From the moment when the model has stopped to the verdict: the look at what was changed, and the check in its view. */
async function verification(folder: string, root: string, round: number): Promise<number> {
  const watch = watchOf(root, folder);
  await watch.begin();
  writeFileSync(join(root, "src/part0/file0.js"), `module.exports = "round ${round}";\n`);
  return timed(async () => {
    const work = await watch.look();
    const { verdict } = await verify({
      place: { root, store: join(folder, "store"), id: `bench-${round}`, host: { baseEnv: process.env } },
      checks: [{ command: "npm test", timeoutMs: 60_000, source: "bench" }],
      changes: work?.changes ?? [],
      isOnDisk: true,
      since: watch.base?.at,
      signal: AbortSignal.timeout(60_000),
    });
    if (verdict !== "verified") throw new Error(`The verdict is ${verdict}.`);
  });
}

async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
