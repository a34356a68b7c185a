// What an answer costs the terminal: bytes written for each byte of text at two rates, bytes while nothing comes, CPU over plain printing.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Bench } from "../../../scripts/bench-types.ts";
import { TestClock } from "../test/test-clock.ts";
import { ANSWER, pieces, prepared, StreamScreen } from "./stream-screen.ts";

const TEXT_BYTES = Buffer.byteLength(ANSWER);

async function bytesPerText(kind: "markdown" | "text", everyMs: number, budget: number) {
  await prepared();
  const clock = new TestClock();
  let bytes = 0;
  let writes = 0;
  const screen = new StreamScreen(
    (text) => {
      bytes += Buffer.byteLength(text);
      writes++;
    },
    clock,
    kind,
  );
  bytes = 0;
  writes = 0;
  for (const piece of pieces(ANSWER)) {
    screen.add(piece);
    clock.advance(everyMs);
  }
  screen.end();
  const note = `${bytes} bytes in ${writes} frames for ${TEXT_BYTES} of text`;
  return { value: bytes / TEXT_BYTES, unit: "x", budget, note };
}

async function waiting() {
  const clock = new TestClock();
  let bytes = 0;
  const screen = new StreamScreen((text) => {
    bytes += Buffer.byteLength(text);
  }, clock);
  bytes = 0;
  clock.advance(60_000);
  screen.end();
  return { value: bytes / 60, unit: "bytes/s", budget: 100 };
}

const run = promisify(execFile);
const ROUNDS = 3;

/** Seconds of CPU for the stream in a process of its own, with real timers and a real pipe. */
async function cpu(kind: string): Promise<number> {
  const program = fileURLToPath(new URL("./stream-run.ts", import.meta.url));
  const { stderr } = await run(process.execPath, [...process.execArgv, program, kind], { maxBuffer: 1 << 24 });
  return Number(stderr.trim());
}

async function cpuOverPlain() {
  const plain: number[] = [];
  const rendered: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Side by side: a noisy moment hits both.
    const [base, ours] = await Promise.all([cpu("plain"), cpu("rendered")]);
    plain.push(base);
    rendered.push(ours);
  }
  const [base, value] = [Math.min(...plain), Math.min(...rendered)];
  return {
    value: value / base,
    unit: "x",
    budget: 3,
    note: `${value.toFixed(2)} s against ${base.toFixed(2)} s of CPU`,
  };
}

export const benches: readonly Bench[] = [
  { name: "bytes written over the markdown rendered, a piece every 10 ms", run: () => bytesPerText("markdown", 10, 2) },
  {
    name: "bytes written over the markdown rendered, a piece every 100 ms",
    run: () => bytesPerText("markdown", 100, 3),
  },
  { name: "bytes written over plain text, a piece every 100 ms", run: () => bytesPerText("text", 100, 3) },
  { name: "bytes while the model is waited for", run: waiting },
  { name: "CPU of 1,500 lines of markdown rendered over printing them", run: cpuOverPlain },
];
