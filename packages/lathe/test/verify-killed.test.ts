// The command is killed by SIGKILL at the lines of its journal while work is verified: the outcome is the same, no
// check is reported that did not run, and no views or processes remain.

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { startedIn } from "./started-in.ts";

const PRELOAD = `--require ${fileURLToPath(new URL("./die-at-line.cjs", import.meta.url))}`;
const FULL = ["--permission-mode", "full"];
/** Outside of the project, which is all that a view keeps apart, it leaves a line for each time it has really run. */
const CHECK = 'echo ran >> "$HOME/ran"; grep -q right code.txt';
/** Of a part of the goal. */
const PART = 'echo ran >> "$HOME/ran"; test -f code.txt';
/**
 * What is killed, how it is continued, from which line on, and at which lines in the gate: while it is told of a failed check, and while the
 * right work is checked. A process that dies before the session has an input leaves nothing to continue.
 */
const WORK = {
  verification: {
    begin: (args: readonly string[]) => [...args, ...FULL, "--check", CHECK, "-p", "fix it"],
    more: ["--check", CHECK],
    first: 4,
    inGate: [16, 25],
    answer,
  },
  goal: {
    begin: (args: readonly string[]) => ["goal", ...args, ...FULL, "fix it", "--until", CHECK],
    more: [],
    first: 8,
    inGate: [18, 26],
    answer,
  },
  "goal with a part": {
    begin: (args: readonly string[]) => ["goal", ...args, ...FULL, "fix it", "--until", CHECK],
    more: [],
    first: 8,
    inGate: [],
    answer: answerInParts,
  },
} as const;
type Work = (typeof WORK)[keyof typeof WORK];
const isLong = process.env["LATHE_LONG"] !== undefined;

/** Writes a wrong answer, stops, is told about it, and writes the right one. A call that was cut off is made again. */
function answer({ view: { messages } }: RecordedRequest) {
  const isTold = messages.some(({ text }) => /The work is not verified|The goal is not reached yet/.test(text));
  const written = messages.filter(({ results }) =>
    results.some(({ text }) => !/interrupted|unknown|sub-goal|Goal:/i.test(text)),
  ).length;
  const write = (content: string) => turn.calls([{ name: "write_file", args: { file_path: "code.txt", content } }]);
  if (!isTold) return written === 0 ? write("worse\n") : turn.text("Done.");
  return written < 2 ? write("right\n") : turn.text("Fixed.");
}

/** The same, after a part of the goal was declared and proven. What was cut off is seen in the last list of the parts. */
function answerInParts(request: RecordedRequest) {
  const said = request.view.messages.flatMap(({ results }) => results.map(({ text }) => text));
  const list = said.findLast((text) => /^1\. \[/m.test(text));
  const part = (args: object) => turn.calls([{ name: "sub_goal", args: args as never }]);
  if (list === undefined) return part({ op: "add", text: "there is a file", until: PART });
  const open = /^(\d)\. \[ \]/m.exec(list)?.[1];
  return open === undefined ? answer(request) : part({ op: "done", number: Number(open) });
}

/** Resolves with the number of lines when it was not killed. */
async function run({ box, args, env }: Stage, { begin }: Work, at: number): Promise<number | undefined> {
  const count = join(box.home, "count");
  const child = box.start(begin(args), {
    ...env,
    ...{ NODE_OPTIONS: PRELOAD, DIE_LINE: String(at), DIE_COUNT: count },
  });
  child.stdin.end();
  await once(child, "close");
  return child.signalCode === "SIGKILL" ? undefined : Number(readFileSync(count, "utf8"));
}

const files = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String);

async function judge(scene: Stage, { more }: Work): Promise<void> {
  await scene.run([...FULL, ...more, "-c"]);
  const { box } = scene;
  const sessions = join(box.home, ".lathe/sessions");
  const lines = files(sessions)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(sessions, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line));
  const ended = lines.findLast(({ type, state }) => type === "input" && state === "end");
  expect(ended?.verification?.verdict).toBe("verified");
  expect(readFileSync(join(box.dir, "code.txt"), "utf8")).toBe("right\n");
  const told = reportedRuns(lines);
  expect(told).toBeGreaterThan(0);
  expect(lines.filter(({ kind }) => kind === "check_started").length).toBeGreaterThanOrEqual(told);
  const ran = existsSync(join(box.home, "ran")) ? readFileSync(join(box.home, "ran"), "utf8").match(/ran\n/g) : [];
  expect(ran?.length).toBeGreaterThanOrEqual(told);
  const views = join(box.home, ".lathe/views");
  expect(files(views).filter((name) => name.includes("/"))).toEqual([]);
  await expect.poll(() => startedIn(box.home), { timeout: 20_000 }).toEqual([]);
}

/** How many runs of checks and of commands of a goal the session tells of. */
// biome-ignore lint/suspicious/noExplicitAny: lines of a journal
function reportedRuns(lines: readonly any[]): number {
  const verified = lines.flatMap(({ customType, data }) => (customType === "verification" ? data.checks : []));
  const goals = lines.flatMap(({ customType, data }) => (customType === "goal" ? [data] : []));
  const last = goals.at(-1);
  const proven = last?.subGoals.filter(({ evidence }: { evidence?: unknown }) => evidence !== undefined).length ?? 0;
  return verified.length + (last?.checks ?? 0) + proven;
}

function* linesFrom(first: number): Generator<number> {
  for (let at = first; ; at++) yield at;
}

const KINDS = (Object.keys(WORK) as (keyof typeof WORK)[]).filter((kind) => isLong || WORK[kind].inGate.length > 0);

it.skipIf(!has("bwrap", "nsenter", "unshare", "git")).each(KINDS)(
  "N1 a %s ends the same wherever it is killed (needs bwrap, nsenter, unshare, git)",
  async (kind) => {
    const work = WORK[kind];
    for (const at of isLong ? linesFrom(work.first) : work.inGate) {
      const scene = await stage(work.answer);
      try {
        writeFileSync(join(scene.box.dir, "code.txt"), "wrong\n");
        const lines = await run(scene, work, at);
        if (lines !== undefined && lines < at) return expect(isLong, `it ended before line ${at}`).toBe(true);
        await judge(scene, work);
      } finally {
        await scene.close();
      }
    }
  },
  isLong ? 1_800_000 : 170_000,
);
