// What the command costs around a conversation: rounds with tools, the end of a run, and a long answer. Each is compared with the same
// in plain Node, in a process of its own, both in turns against one server. `BENCH_CLI` names another build to measure instead.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderStream, turn } from "@lathe/testkit";
import { type Bench, type BenchResult, ratio } from "../../../scripts/bench-types.ts";
import { bundleProgram } from "../../agent/test/support/bundle.ts";

const CLI = process.env["BENCH_CLI"] ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), "lathe-command-")));
const project = realpathSync(mkdtempSync(join(tmpdir(), "lathe-project-")));
for (let i = 0; i < 20; i++) writeFileSync(join(project, `small${i}.txt`), "A small file of a few lines.\n".repeat(10));
const PLAIN = join(home, "plain-run.mjs");
await bundleProgram(fileURLToPath(new URL("./plain-run.ts", import.meta.url)), PLAIN);

/** An input ends after 50 identical rounds. */
const ROUNDS = 45;
const WARM_UP = 15;
const REPEATS = 5;

interface Script {
  /** The call that the model makes in each of the first rounds. */
  readonly call?: { readonly name: string; readonly args: Readonly<Record<string, string>> };
  /** It makes the call only once, but so many times in one answer. */
  readonly inOneAnswer?: number;
  readonly text?: string;
  /** How long the model thinks before its first answer; both programs wait meanwhile. */
  readonly thinksMs?: number;
}

interface Served {
  /** When each request had arrived in whole. */
  readonly arrived: readonly number[];
  /** When each answer was written. */
  readonly answered: readonly number[];
  readonly ended: number;
  readonly begun: number;
  readonly bodyBytes: number;
}

/** One run of a program against a server that has this script. */
async function served(
  { call, inOneAnswer = 0, text = "ok", thinksMs = 0 }: Script,
  program: (url: string) => readonly string[],
): Promise<Served> {
  const rounds = inOneAnswer > 0 ? 1 : call ? ROUNDS : 0;
  const calls = call ? Array.from({ length: inOneAnswer || 1 }, (_, n) => ({ ...call, id: `toolu_bench${n}` })) : [];
  const answers = {
    call: call && renderStream(turn.calls(calls, { chunk: "whole" }), "anthropic"),
    text: textAnswer(text),
  };
  const arrived: number[] = [];
  const answered: number[] = [];
  let bodyBytes = 0;
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.once("end", () => {
      bodyBytes ||= bytes;
      arrived.push(performance.now());
      const body = arrived.length <= rounds ? answers.call : answers.text;
      const answer = (): void => {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
        answered.push(performance.now());
      };
      if (thinksMs > 0 && arrived.length === 1) setTimeout(answer, thinksMs);
      else answer();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const begun = performance.now();
  const child = spawn(process.execPath, [...program(url)], {
    cwd: project,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      LATHE_HOME: join(home, ".lathe"),
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: url,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.resume();
  await once(child, "close");
  const ended = performance.now();
  server.closeAllConnections();
  server.close();
  if (arrived.length !== rounds + 1) throw new Error(`${arrived.length} requests came instead of ${rounds + 1}.`);
  return { arrived, answered, ended, begun, bodyBytes };
}

const rendered = new Map<string, Buffer>();
function textAnswer(text: string): Buffer {
  const known = rendered.get(text) ?? renderStream(turn.text(text, { deltaChars: 8 }), "anthropic");
  rendered.set(text, known);
  return known;
}

const ours = (url: string): readonly string[] => [
  CLI,
  ...["--model", "anthropic/claude-opus-4-6", "--base-url", url, "--max-turns", String(ROUNDS + 1)],
  ...["-p", "go"],
];
const plain = (url: string): readonly string[] => [PLAIN, url];

/** Medians of runs in turns, after one of ours that writes the code caches. */
async function compare(script: Script, valuesOf: (run: Served) => readonly number[], repeats = REPEATS) {
  await served(script, ours);
  const values = { ours: [] as number[], plain: [] as number[] };
  for (let i = 0; i < repeats; i++) {
    values.plain.push(...valuesOf(await served(script, plain)));
    values.ours.push(...valuesOf(await served(script, ours)));
  }
  return { ours: median(values.ours), plain: median(values.plain) };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const roundTimes = ({ arrived }: Served): readonly number[] =>
  arrived.slice(WARM_UP + 1).map((time, i) => time - arrived[WARM_UP + i]!);

async function rounds(call: Script["call"] & {}, budget: number): Promise<BenchResult> {
  const medians = await compare({ call }, roundTimes);
  return ratio(medians.ours, medians.plain, { budget, unit: "ms" });
}

/** As many at the same time as calls of one answer run. */
async function bareShells(count: number): Promise<void> {
  const waiting = Array.from({ length: count }).values();
  const lane = async (): Promise<void> => {
    for (const _ of waiting)
      await once(
        spawn("/bin/bash", ["-c", "echo hi"]).on("error", () => {}),
        "close",
      );
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

const LONG = "12345678".repeat(20_000);

export const benches: readonly Bench[] = [
  {
    name: "a round with `echo hi` of the command over plain Node",
    run: () => rounds({ name: "shell", args: { command: "echo hi" } }, 3),
  },
  {
    name: "a round with a small read of the command over plain Node",
    // Why not less: decision 0327.
    run: () => rounds({ name: "read_file", args: { file_path: "small1.txt" } }, 4.4),
  },
  {
    name: "the first command of a session over a later one",
    async run() {
      // A model thinks longer than this. What a command needs is loaded meanwhile.
      const script: Script = { call: { name: "shell", args: { command: "echo hi" } }, thinksMs: 800 };
      const first: number[] = [];
      const later: number[] = [];
      for (let i = 0; i < REPEATS; i++) {
        const run = await served(script, ours);
        first.push(run.arrived[1]! - run.answered[0]!);
        later.push(...roundTimes(run));
      }
      return ratio(median(first), median(later), { budget: 9, unit: "ms" });
    },
  },
  {
    name: "300 calls of `echo hi` in one answer over 300 bare shells",
    async run() {
      const ours300: number[] = [];
      const bare: number[] = [];
      for (let i = 0; i < REPEATS; i++) {
        const start = performance.now();
        await bareShells(300);
        bare.push(performance.now() - start);
        const call = { name: "shell", args: { command: "echo hi" } };
        const { arrived } = await served({ call, inOneAnswer: 300 }, ours);
        ours300.push(arrived[1]! - arrived[0]!);
      }
      return ratio(median(ours300), median(bare), { budget: 4, unit: "ms" });
    },
  },
  {
    name: "last byte of an answer to the end of a print run over plain Node",
    async run() {
      // A model thinks longer than this. What the answer needs is loaded meanwhile, and that is not part of the end.
      const medians = await compare({ thinksMs: 150 }, ({ answered, ended }) => [ended - answered[0]!], 20);
      return ratio(medians.ours, medians.plain, { budget: 3, unit: "ms" });
    },
  },
  {
    name: "20,000 deltas through the command, less a short answer, over plain Node",
    async run() {
      const whole = ({ begun, ended }: Served): readonly number[] => [ended - begun];
      const [long, short] = [await compare({ text: LONG }, whole, 10), await compare({}, whole, 10)];
      // Why not less: decision 0297.
      return ratio(long.ours - short.ours, long.plain - short.plain, { budget: 3.3, unit: "ms" });
    },
  },
  {
    name: "bytes of the first request for Claude with the full toolset",
    async run() {
      const { bodyBytes } = await served({}, ours);
      return { value: bodyBytes / 1000, unit: "kB", budget: 22, note: `${bodyBytes} bytes` };
    },
  },
];
