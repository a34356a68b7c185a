// How well a model uses tools, with the rules ahead of its prompt (candidate) and without them (baseline):
//   npm run bench:discipline -- --mock [--seed 42] [-n 5]      a scripted weak model, through the built command
//   npm run bench:discipline -- --trace --trace-file file      scenarios that were recorded, one JSON object a line
//   npm run bench:discipline -- --live --model provider/id     a real model; without its credential the run is skipped
// Prints one JSON object. The exit code is 1 when the candidate fails more often than the baseline, 2 for wrong options.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import { startModelServer } from "@lathe/testkit";
import { numbers, TASKS, type Task, weakModel } from "./tasks.ts";
import { compare, type Scenario, type TracedCall } from "./trace.ts";

const CLI = fileURLToPath(new URL("../../packages/lathe/dist/cli.js", import.meta.url));
const LONGEST_MS = 180_000;
const ARMS = ["baseline", "candidate"] as const;

class Unusable extends Error {}

/** Added to the variables that the run needs. */
interface Place {
  readonly model: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One task in its own project. */
async function runTask(task: Task, name: string, arm: Scenario["arm"], { model, env }: Place): Promise<Scenario> {
  const folder = mkdtempSync(join(tmpdir(), "lathe-discipline-"));
  const project = join(folder, "project");
  mkdirSync(project);
  for (const [path, text] of Object.entries(task.files)) writeFileSync(join(project, path), text);
  const config = join(folder, "arm.yml");
  writeFileSync(config, `toolDiscipline: ${arm === "candidate" ? "on" : "off"}\n`);
  const options = ["--model", model, "--profile", "anthropic", "--permission-mode", "full", "--config", config];
  try {
    const child = spawn(process.execPath, [CLI, "--mode", "json", "--no-session", ...options, task.prompt], {
      cwd: project,
      env: { HOME: folder, LATHE_HOME: join(folder, ".lathe"), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST_MS,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = await new Promise<[number | null]>((resolve) => child.once("close", (...end) => resolve([end[0]])));
    if (code === 3) throw new Unusable(stderr.trim().split("\n").at(-1) ?? "the provider failed");
    const changed = Object.entries(task.files).filter(
      ([path, text]) => readFileSync(join(project, path), "utf8") !== text,
    );
    return {
      ...{ scenario: name, arm, ...traceOf(stdout), changed: changed.map(([path]) => path), about: [task.file] },
      timedOut: child.signalCode !== null,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls and text from the lines of a JSON run. */
function traceOf(stdout: string): Pick<Scenario, "calls" | "texts"> {
  const events = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JsonObject);
  const begun = new Map<unknown, JsonObject>();
  const calls: TracedCall[] = [];
  const texts: string[] = [];
  for (const event of events) {
    if (event["type"] === "tool_execution_start") begun.set(event["toolCallId"], event);
    if (event["type"] === "tool_execution_end")
      calls.push({
        tool: String(event["toolName"]),
        args: begun.get(event["toolCallId"])?.["args"] ?? {},
        isError: event["isError"] === true,
        result: JSON.stringify(event["result"] ?? ""),
      });
    if (event["type"] === "message_end") texts.push(...wordsIn(event["message"]));
  }
  return { calls, texts };
}

function wordsIn(message: unknown): string[] {
  if (!isJsonObject(message) || message["role"] !== "assistant" || !Array.isArray(message["content"])) return [];
  return message["content"].flatMap((part) =>
    isJsonObject(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
}

async function mock(seed: number, rounds: number): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  for (let round = 0; round < rounds; round++)
    for (const [nth, task] of TASKS.entries())
      for (const arm of ARMS) {
        const server = await startModelServer({ script: weakModel(task, numbers(seed + round * TASKS.length + nth)) });
        const env = {
          PATH: process.env["PATH"],
          ANTHROPIC_API_KEY: "mock",
          ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
        };
        try {
          const place = { model: "anthropic/claude-sonnet-4-5", env };
          scenarios.push(await runTask(task, `${task.name}#${round + 1}`, arm, place));
        } finally {
          await server.close();
        }
      }
  return scenarios;
}

async function live(model: string): Promise<Scenario[]> {
  const { HOME, LATHE_HOME = join(HOME ?? "", ".lathe"), ...env } = process.env;
  const scenarios: Scenario[] = [];
  for (const task of TASKS)
    for (const arm of ARMS)
      scenarios.push(await runTask(task, task.name, arm, { model, env: { ...env, HOME, LATHE_HOME } }));
  return scenarios;
}

function recorded(file: string): Scenario[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, nth) => {
      const value: unknown = JSON.parse(line);
      if (isJsonObject(value) && typeof value["scenario"] === "string" && ARMS.some((arm) => arm === value["arm"]))
        return { calls: [], texts: [], changed: [], about: [], timedOut: false, ...value } as unknown as Scenario;
      throw new Error(`${file}:${nth + 1} is no scenario: it needs scenario and arm (baseline or candidate).`);
    });
}

const { values } = parseArgs({
  options: {
    mock: { type: "boolean" },
    trace: { type: "boolean" },
    live: { type: "boolean" },
    seed: { type: "string", default: "42" },
    n: { type: "string", short: "n", default: "5" },
    "trace-file": { type: "string" },
    model: { type: "string" },
  },
});
const modes = (["mock", "trace", "live"] as const).filter((mode) => values[mode]);
const [mode] = modes;

async function scenariosOf(): Promise<Scenario[]> {
  if (mode === undefined || modes.length > 1) throw new Error("Give one of --mock, --trace and --live.");
  if (mode === "mock") return mock(Number(values.seed), Number(values.n));
  if (mode === "live") {
    if (values.model === undefined) throw new Unusable("no model was named: --model provider/id");
    return live(values.model);
  }
  const file = values["trace-file"];
  if (file === undefined) throw new Error("--trace needs --trace-file.");
  return recorded(file);
}

try {
  const verdict = await compare(await scenariosOf());
  console.log(JSON.stringify({ mode, ...(mode === "mock" ? { seed: Number(values.seed) } : {}), ...verdict }));
  process.exitCode = verdict.p1.passed === false ? 1 : 0;
} catch (error) {
  if (error instanceof Unusable)
    console.log(JSON.stringify({ mode, skipped: error.message, p1: { applicable: false } }));
  else {
    console.error(messageOf(error));
    process.exitCode = 2;
  }
}
