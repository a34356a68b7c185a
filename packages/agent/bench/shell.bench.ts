// What a verdict over a shell command costs beside starting the smallest program, and what the first one costs.

import { spawn } from "node:child_process";
import type { Bench } from "../../../scripts/bench-types.ts";
import { analyseShell } from "../src/policy/shell/analyse.ts";
import { patternWords } from "../src/policy/shell/match.ts";
import { verdictOf } from "../src/policy/shell/verdict.ts";

const COMMANDS = [
  "git status --short",
  "cd packages/agent && npm test 2>&1 | tail -40",
  "grep -rn 'export function' src --include='*.ts' | head -20",
  `git commit -m "$(cat <<'EOF'\nfix: a thing\n\nIt is done.\nEOF\n)" && git log -1 --stat`,
  'for f in src/*.ts; do wc -l "$f"; done | sort -n | tail -5',
];
/** 200 characters. */
const LONG =
  "cd packages/agent && git log --oneline --since='2 weeks ago' -- src test | head -40 && grep -rn 'export function' src --include='*.ts' | sort | uniq -c | sort -rn | head -20 && wc -l src/a.ts | cat -n";
const ROUNDS = 60;
/** Until then the engine still interprets much of the code. */
const WARM_UP = 200;

const context = { cwd: "/srv/project", home: "/home/u" };
const split = (patterns: readonly string[]) => patterns.map(patternWords);
const rules = { allow: split(["npm test *", "git commit *"]), ask: split(["git push *"]), deny: split(["sudo *"]) };

export const benches: readonly Bench[] = [
  { name: "a verdict over a shell command, over the spawn of true", run: () => verdict(COMMANDS, 0.2) },
  // A millisecond, where a program starts in two.
  { name: "a verdict over a command of 200 characters, over the spawn of true", run: () => verdict([LONG], 0.5) },
];

async function verdict(commands: readonly string[], budget: number) {
  const first = await timed(() => judge(commands[0] as string));
  for (let round = 0; round < WARM_UP; round++) for (const command of commands) await judge(command);
  const [verdicts, spawns]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    spawns.push(await timed(spawnTrue));
    for (const command of commands) verdicts.push(await timed(() => judge(command)));
  }
  const [own, base] = [median(verdicts), median(spawns)];
  const note = `${own.toFixed(2)} ms against ${base.toFixed(2)} ms; the first: ${first.toFixed(0)} ms`;
  return { value: own / base, unit: "x", budget, note };
}

async function judge(command: string): Promise<void> {
  verdictOf(await analyseShell(command, context), rules, { harmless: true });
}

function spawnTrue(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/true", { stdio: "ignore" });
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}
