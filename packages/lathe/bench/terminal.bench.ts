// The interactive mode at a terminal: how soon a key is seen, what a stream costs in bytes, processor time and memory.

import type { Bench } from "../../../scripts/bench-types.ts";
import { markdown, type Pace, TerminalSession } from "./at-terminal.ts";

const RUNS = 5;
/** Letters that no answer has. */
const KEYS = [..."абвгдежзиклмнопрстуфхцчшщэюяАБВГДЕЖЗИКЛМНОПРСТ"];
const FAST: Pace = { text: markdown(8_000), pieceBytes: 24, pieces: 10, everyMs: 5 };
const STEADY: Pace = { text: markdown(1_500), pieceBytes: 24, pieces: 1, everyMs: 10 };
const SLOW: Pace = { text: markdown(300), pieceBytes: 24, pieces: 1, everyMs: 100 };
const SILENT: Pace = { text: "", pieceBytes: 24, pieces: 0, everyMs: 1_000 };
const PLAIN = ["--plain"];

export const benches: Bench[] = [
  {
    name: "key to echo while 2,000 deltas/s stream, over the same at rest",
    async run() {
      const runs: { rest: number; streaming: number }[] = [];
      for (let i = 0; i < RUNS; i++) {
        const session = await TerminalSession.start({ pace: FAST });
        // The first keys of a process are slow: they would make any other look quick.
        await p95(session);
        session.type("\x15");
        const rest = await p95(session);
        session.type("\x15hello\r");
        await session.see("Part 9");
        const streaming = await p95(session);
        await session.leave();
        runs.push({ rest, streaming });
      }
      const rest = median(runs.map((run) => run.rest));
      const streaming = median(runs.map((run) => run.streaming));
      return {
        value: streaming / rest,
        unit: "x",
        budget: 3,
        note: `p95 ${streaming.toFixed(1)} ms against ${rest.toFixed(1)} ms`,
      };
    },
  },
  {
    name: "bytes to the terminal per byte of 1,500 lines of markdown, 24 bytes each 10 ms",
    run: async () => {
      const { bytes } = await streamed(STEADY, []);
      return { value: bytes / STEADY.text.length, unit: "x", budget: 2 };
    },
  },
  {
    name: "the same at a tenth of the rate",
    run: async () => {
      const { bytes } = await streamed(SLOW, []);
      return { value: bytes / SLOW.text.length, unit: "x", budget: 3 };
    },
  },
  {
    name: "processor time of that stream over printing it in plain mode",
    async run() {
      const ours = await streamed(STEADY, []);
      const plain = await streamed(STEADY, PLAIN);
      return {
        value: ours.cpuSeconds / plain.cpuSeconds,
        unit: "x",
        budget: 3,
        note: `${ours.cpuSeconds.toFixed(2)} s against ${plain.cpuSeconds.toFixed(2)} s`,
      };
    },
  },
  {
    name: "peak memory of a stream at 2,000 deltas/s over plain mode",
    async run() {
      const ours = await streamed(FAST, []);
      const plain = await streamed(FAST, PLAIN);
      return {
        value: ours.memory / plain.memory,
        unit: "x",
        budget: 1.3,
        note: `${megabytes(ours.memory)} against ${megabytes(plain.memory)}`,
      };
    },
  },
  {
    name: "waiting for the model: bytes to the terminal per second",
    async run() {
      const seconds = 8;
      const session = await TerminalSession.start({ pace: SILENT });
      session.type("hello\r");
      await session.see("Waiting");
      const before = session.bytes;
      await pause(seconds * 1000);
      const value = (session.bytes - before) / seconds;
      session.type("\x1b");
      await session.see("Interrupted");
      await session.leave();
      return { value, unit: "bytes/s", budget: 100 };
    },
  },
];

/** The slow end of how long a key takes to be seen. The keys come at no particular time of a frame. */
async function p95(session: TerminalSession): Promise<number> {
  const times: number[] = [];
  for (const [i, key] of KEYS.entries()) {
    times.push(await session.echo(key));
    await pause(20 + ((i * 37) % 61));
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY;
}

interface Streamed {
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly memory: number;
}

async function streamed(pace: Pace, args: readonly string[]): Promise<Streamed> {
  const session = await TerminalSession.start({ pace, args });
  const before = { bytes: session.bytes, cpuSeconds: session.cpuSeconds };
  const answered = session.model("answered");
  session.type("hello\r");
  await answered;
  await pause(500);
  const { bytes, cpuSeconds } = session;
  const memory = await session.leave();
  return { bytes: bytes - before.bytes, cpuSeconds: cpuSeconds - before.cpuSeconds, memory };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
