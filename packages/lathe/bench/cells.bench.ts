// What a cell costs over a line through a bare pipe to the same interpreter.

import { LocalEnvironment } from "@lathe/agent";
import type { CellLanguage } from "@lathe/agent/tools";
import { byteLines, type ProgramArgv } from "@lathe/agent/world";
import type { Bench } from "../../../scripts/bench-types.ts";
import { Kernels } from "../src/additions/eval/kernels.ts";

const ROUNDS = 300;

const ECHO: Readonly<Record<CellLanguage, ProgramArgv>> = {
  py: ["python3", "-uc", "import sys\nfor line in sys.stdin: print(eval(line))"],
  js: [
    "node",
    "-e",
    'require("readline").createInterface(process.stdin).on("line", (line) => console.log(eval(line)))',
  ],
};

export const benches: Bench[] = [
  { name: "a Python cell over a line through a pipe", run: () => roundTrip("py") },
  { name: "a JavaScript cell over a line through a pipe", run: () => roundTrip("js") },
];

async function roundTrip(language: CellLanguage) {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env });
  const kernels = new Kernels({ isTrusted: () => true });
  const host = {
    env,
    signal: new AbortController().signal,
    print: () => {},
    show: () => {},
    status: () => {},
    answer: async () => null,
  };
  const bare = await env.startProcess(ECHO[language]);
  const lines = byteLines(bare.stdout);
  const pipes: number[] = [];
  const cells: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    pipes.push(
      await timed(async () => {
        await bare.write("1 + 1\n");
        await lines.next();
      }),
    );
    cells.push(await timed(() => kernels.run({ language, code: "1 + 1", timeoutMs: 30_000, reset: false }, host)));
  }
  await kernels.close();
  await env.cleanup();
  const [base, value] = [median(pipes), median(cells)];
  return { value: value / base, unit: "x", budget: 3, note: `${value.toFixed(2)} ms against ${base.toFixed(2)} ms` };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
