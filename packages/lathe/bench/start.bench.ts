// How soon the command is there: ratios over a bare node, measured side by side in one run. `BENCH_CLI` names another build.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bench, type BenchResult, ratio } from "../../../scripts/bench-types.ts";
import { modelServer } from "./model-server.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 20;

const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-start-")));
const env = { PATH: process.env["PATH"] ?? "", HOME: dir, LATHE_HOME: join(dir, ".lathe"), OPENAI_API_KEY: "k" };

interface TimedOptions {
  /** What is waited for; absent: the end of the process. */
  readonly until?: Promise<unknown>;
  readonly extra?: Record<string, string>;
  readonly cwd?: string;
}

/** Milliseconds from the start of the process. */
async function timed(args: readonly string[], { until, extra = {}, cwd = dir }: TimedOptions = {}): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...env, ...extra },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const closed = once(child, "close");
  await (until ?? closed);
  const took = performance.now() - begun;
  await closed;
  return took;
}

/** The best of interleaved rounds: noise only ever adds. */
async function compare(
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ ours: number; bare: number }> {
  let best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
  for (let i = 0; i < ROUNDS; i++) {
    best = { ours: Math.min(best.ours, await ours()), bare: Math.min(best.bare, await bare()) };
  }
  return best;
}

/** Node with a script that does nothing, found and read as ours is. */
const EMPTY = join(dir, "empty.js");
writeFileSync(EMPTY, "");
const bareNode = (): Promise<number> => timed([EMPTY]);

const RUN = [CLI, "--model", "openai/gpt-5.2", "-p", "hello"];

export const benches: Bench[] = [
  {
    name: "lathe --version over bare node",
    async run() {
      const { ours, bare } = await compare(() => timed([CLI, "--version"]), bareNode);
      return ratio(ours, bare, { budget: 1.3, unit: "ms" });
    },
  },
  {
    name: "start to first request over bare node",
    // Why not less: decision 0516.
    run: () => startToRequest(dir, 2.7),
  },
  {
    name: "start to first request inside a git repository over bare node",
    run: () => startToRequest(repository(), 3.1),
  },
  {
    name: "start to first request with the tool set lathe over that with anthropic",
    async run() {
      const server = await modelServer();
      const start = (profile: string) => (): Promise<number> =>
        timed([...RUN, "--profile", profile], { until: server.next(), extra: { OPENAI_BASE_URL: server.url } });
      const [own, other] = [start("lathe"), start("anthropic")];
      await own();
      await other();
      const { ours, bare } = await compare(own, other);
      server.close();
      return ratio(ours, bare, { budget: 1.1, unit: "ms" });
    },
  },
  {
    name: "bytes of the first request with the tool set lathe",
    async run() {
      const server = await modelServer();
      await timed([...RUN, "--profile", "lathe"], { extra: { OPENAI_BASE_URL: server.url } });
      const value = server.largest() / 1024;
      server.close();
      return { value, unit: "KB", budget: 25, note: `${server.largest()} bytes` };
    },
  },
  {
    name: "a run with one command, to the end of the process, over the same run without one",
    async run() {
      const [plain, calling] = [await modelServer(), await modelServer({ command: "echo hi" })];
      const whole = (url: string): Promise<number> =>
        timed([...RUN, "--permission-mode", "full"], { extra: { OPENAI_BASE_URL: url } });
      const { ours, bare } = await compare(
        () => whole(calling.url),
        () => whole(plain.url),
      );
      plain.close();
      calling.close();
      return ratio(ours, bare, { budget: 3, unit: "ms" });
    },
  },
  {
    name: "peak memory of a one-shot run over a bare HTTP client",
    async run() {
      const server = await modelServer();
      const client = `require("http").request("${server.url}/responses",{method:"POST"},r=>r.resume()).end("{}")`;
      const ours = await peak(RUN, { OPENAI_BASE_URL: server.url });
      const bare = await peak(["-e", client], {});
      server.close();
      return {
        value: ours / bare,
        unit: "x",
        budget: 2,
        note: `${(ours / 1024).toFixed(0)} MB against ${(bare / 1024).toFixed(0)} MB`,
      };
    },
  },
];

async function startToRequest(cwd: string, budget: number): Promise<BenchResult> {
  const server = await modelServer();
  const ours = (): Promise<number> => timed(RUN, { until: server.next(), extra: { OPENAI_BASE_URL: server.url }, cwd });
  await ours(); // writes the code cache
  const best = await compare(ours, bareNode);
  server.close();
  return {
    value: best.ours / best.bare,
    unit: "x",
    budget,
    note: `${best.ours.toFixed(1)} ms against ${best.bare.toFixed(1)} ms`,
  };
}

/** As people have them: some files, a few commits, something changed. */
function repository(): string {
  const folder = join(dir, "repository");
  mkdirSync(folder);
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
    execFileSync("git", [...who, ...args], { cwd: folder, env, stdio: "ignore" });
  };
  git("init", "-b", "main");
  for (let commit = 0; commit < 12; commit++) {
    for (let file = 0; file < 10; file++) writeFileSync(join(folder, `file-${commit}-${file}.txt`), `${commit}\n`);
    git("add", "--all");
    git("commit", "-m", `commit ${commit}`);
  }
  writeFileSync(join(folder, "file-0-0.txt"), "changed\n");
  writeFileSync(join(folder, "new.txt"), "new\n");
  return folder;
}

/** Peak resident set in KiB, as the system counted it. */
async function peak(args: readonly string[], extra: Record<string, string>): Promise<number> {
  const hook = `process.on("exit",()=>require("fs").writeFileSync(process.env.PEAK_FILE,String(process.resourceUsage().maxRSS)))`;
  const file = join(dir, "peak");
  const hookFile = join(dir, "peak-hook.cjs");
  writeFileSync(hookFile, hook);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    await timed(["--require", hookFile, ...args], { extra: { ...extra, PEAK_FILE: file } });
    least = Math.min(least, Number(readFileSync(file, "utf8")));
  }
  return least;
}
