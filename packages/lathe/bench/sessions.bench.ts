// Sessions at the size of years: a list of ten thousand, a search over 100 MB. The built command is run, start of process included.

import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeLine, idSource, sessionPath } from "@lathe/agent/record";
import { Message } from "@lathe/llm";
import { type Bench, type BenchResult, ratio } from "../../../scripts/bench-types.ts";
import { writeLongSession } from "../../agent/bench/long-session.ts";
import { writeManyEntries } from "../../agent/bench/many-entries.ts";
import { memoryOf } from "./memory.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 10;

function inHome<T>(work: (home: string) => T): T {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "lathe-sessions-")));
  try {
    return work(home);
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Milliseconds of one run; the output must hold `expected`. */
function timed(home: string, args: readonly string[], expected: string): number {
  const begun = performance.now();
  const run = spawnSync(process.execPath, [CLI, "sessions", ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, LATHE_HOME: home },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const took = performance.now() - begun;
  if (!run.stdout.includes(expected)) throw new Error(`lathe sessions ${args.join(" ")}: ${run.stderr || run.stdout}`);
  return took;
}

/** Noise only ever adds, so the best round counts; a bare node beside it tells how loaded the machine is. */
function best(home: string, args: readonly string[], expected: string): { readonly ms: number; readonly bare: number } {
  const rounds = Array.from({ length: ROUNDS }, () => ({ ms: timed(home, args, expected), bare: bareNode() }));
  return { ms: Math.min(...rounds.map(({ ms }) => ms)), bare: Math.min(...rounds.map(({ bare }) => bare)) };
}

function bareNode(): number {
  const begun = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - begun;
}

/** Words of a made-up language, a few of them common and most of them rare, as in real text. */
const vocabulary = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}x`);
const word = (): string => vocabulary[Math.floor(vocabulary.length * Math.random() ** 4)] ?? "";
const prose = (words: number): string => Array.from({ length: words }, word).join(" ");

const newId = idSource(Math.random);

function writeSession(home: string, at: number, replies: readonly string[]): number {
  const timestamp = new Date(1.7e12 + at * 1e6).toISOString();
  const cwd = `/home/me/project-${at % 50}`;
  const id = crypto.randomUUID();
  let parentId: string | null = null;
  const entry = (message: Message) => {
    const line = { type: "message", id: newId(), parentId, timestamp, message };
    parentId = line.id;
    return encodeLine(line);
  };
  const bytes = Buffer.concat([
    encodeLine({ type: "session", version: 4, id, timestamp, cwd }),
    entry(Message.user(`please look at part ${at}`)),
    ...replies.map((reply) => entry(Message.assistant(reply))),
    encodeLine({ type: "title", title: `Part ${at}`, source: "auto", timestamp }),
  ]);
  const path = sessionPath(join(home, "sessions"), cwd, timestamp, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return bytes.length;
}

/** As if nothing had been written for a while, except in the first project. */
function settle(home: string): void {
  const root = join(home, "sessions");
  for (const project of readdirSync(root).slice(1)) utimesSync(join(root, project), 1.75e9, 1.75e9);
}

/** Reads a file line by line and parses each, as the shortest program would. */
const READ_ONCE = `
const { openSync, readSync } = require("node:fs");
const file = openSync(process.argv[1], "r");
const chunk = Buffer.alloc(1 << 20);
for (let held = Buffer.alloc(0), got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) {
  const bytes = Buffer.concat([held, chunk.subarray(0, got)]);
  let from = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
    JSON.parse(bytes.toString("utf8", from, end));
    from = end + 1;
  }
  held = bytes.subarray(from);
}`;

/** Milliseconds of processor time, of all threads: others on the machine do not count. */
function cpuOf(args: readonly string[], home: string): number {
  const before = childCpu();
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LATHE_HOME: home };
  const run = spawnSync(process.execPath, args, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
  if (run.status !== 0) throw new Error(`${args[1]}: ${run.stderr}`);
  return childCpu() - before;
}

/** Of all children that have ended; the system counts in hundredths of a second. */
function childCpu(): number {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

function overOneRead(verb: string, budget: number): BenchResult {
  return inHome((home) => {
    const path = join(home, "long.jsonl");
    writeLongSession(path, 200e6);
    const least = (args: readonly string[]): number => Math.min(...[1, 2, 3].map(() => cpuOf(args, home)));
    const [ours, once] = [least([CLI, "sessions", verb, path]), least(["-e", READ_ONCE, path])];
    return ratio(ours, once, { budget, unit: "ms" });
  });
}

export const benches: Bench[] = [
  {
    name: "`sessions tree` of 200 MB over reading and parsing its lines once, processor time",
    run: async () => overOneRead("tree", 2),
  },
  {
    name: "`sessions doctor` of 200 MB over reading and parsing its lines once, processor time",
    run: async () => overOneRead("doctor", 2),
  },
  {
    name: "list of 10,000 sessions, process start included",
    run: async () =>
      inHome((home) => {
        for (let at = 0; at < 10_000; at++) writeSession(home, at, [prose(800)]);
        settle(home);
        const args = ["list", "--all", "-n", "0"];
        const first = timed(home, args, "Part 9999");
        const { ms, bare } = best(home, args, "Part 9999");
        const note = `${first.toFixed(0)} ms the first time; ${bare.toFixed(0)} ms is a bare node`;
        return { value: ms, unit: "ms", budget: 300, note };
      }),
  },
  {
    name: "search over 100 MB of sessions, process start included",
    run: async () =>
      inHome((home) => {
        let bytes = 0;
        for (let at = 0; bytes < 100e6; at++) {
          const needle = at === 777 ? " the needle in it" : "";
          bytes += writeSession(home, at, [prose(700), prose(700) + needle, prose(3000), prose(2000)]);
        }
        settle(home);
        const indexing = timed(home, ["search", "needle"], "Part 777");
        const rare = best(home, ["search", "needle", vocabulary[0] ?? ""], "Part 777");
        const common = best(home, ["search", vocabulary[3] ?? ""], "Part");
        const note = `rare word ${rare.ms.toFixed(0)} ms, one in most messages ${common.ms.toFixed(0)} ms, a bare node ${rare.bare.toFixed(0)} ms; indexing once ${(indexing / 1000).toFixed(1)} s`;
        return { value: Math.max(rare.ms, common.ms), unit: "ms", budget: 200, note };
      }),
  },
  {
    name: "memory to export 1,000,000 entries as a page, over the size of the session",
    run: async () =>
      inHome((home) => {
        const path = join(home, "many.jsonl");
        const small = join(home, "small.jsonl");
        writeManyEntries(small, 100_000);
        const bytes = writeManyEntries(path, 1_000_000);
        const page = join(home, "page.html");
        const few = memoryOf(["sessions", "export", small, "--out", page]);
        const many = memoryOf(["sessions", "export", path, "--out", page]);
        const growth = many.ms / few.ms / 10;
        if (growth > 2)
          throw new Error(`an entry takes ${growth.toFixed(1)} x the time when there are ten times as many`);
        const note = `${(bytes / 1e6).toFixed(0)} MB in ${(many.ms / 1000).toFixed(0)} s; an entry takes ${growth.toFixed(2)} x the time that it takes among 100,000`;
        return { value: many.bytes / bytes, unit: "x", budget: 3, note };
      }),
  },
];
