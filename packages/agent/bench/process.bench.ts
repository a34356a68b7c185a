// What running commands through the process owner costs over plain child_process, and its memory under much output.

import { spawn } from "node:child_process";
import type { Bench } from "../../../scripts/bench-types.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";

const ECHOES = 60;
const MEGABYTES = 100;

export const benches: Bench[] = [
  { name: "one echo over plain spawn", run: echo },
  { name: "true in a lasting shell over a fresh one", run: lasting },
  { name: "memory for 100 MB of command output", run: memory },
];

async function echo() {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env });
  const plain: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < ECHOES; round++) {
    plain.push(await timed(plainEcho));
    own.push(await timed(() => env.execCommand("echo hello", 10_000)));
  }
  await env.cleanup();
  const [base, value] = [median(plain), median(own)];
  return { value: value / base, unit: "x", budget: 2.5, note: `${value.toFixed(2)} ms against ${base.toFixed(2)} ms` };
}

/** One after the other, as a model would call them: between two calls there is at least a request. */
async function lasting() {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env });
  let { shell: state } = await env.execCommand(":", 10_000, { interleaved: true, shell: {} });
  const fresh: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < ECHOES; round++) {
    await pause();
    fresh.push(await timed(() => env.execCommand("true", 10_000, { interleaved: true })));
    await pause();
    own.push(
      await timed(async () => {
        state = (await env.execCommand("true", 10_000, { interleaved: true, shell: { state } })).shell;
      }),
    );
  }
  await env.cleanup();
  const [base, value] = [median(fresh), median(own)];
  return { value: value / base, unit: "x", budget: 0.8, note: `${value.toFixed(2)} ms against ${base.toFixed(2)} ms` };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

async function memory() {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env });
  await env.execCommand("yes | head -c 3000000", 60_000);
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const { outputBytes, durationMs } = await env.execCommand(`yes | head -c ${MEGABYTES * 1_000_000}`, 120_000);
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage().rss);
  await env.cleanup();
  if (outputBytes !== MEGABYTES * 1_000_000) throw new Error(`only ${outputBytes} bytes arrived`);
  return { value: (peak - before) / 1_000_000, unit: "MB", budget: 50, note: `${durationMs} ms` };
}

function plainEcho(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", "echo hello"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
