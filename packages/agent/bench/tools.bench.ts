// One round with the real tools of a profile, through the whole session, over the same work in 80 lines of plain Node. Both
// offer one tool, so that they send the same amount.

import { fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, defaultDeps } from "@lathe/llm";
import { createProvider } from "@lathe/llm/providers";
import type { Bench } from "../../../scripts/bench-types.ts";
import { MemoryBlobs } from "../src/base/blobs/store.ts";
import { CallPaths } from "../src/contract/paths/call-paths.ts";
import type { CallScope, ToolContext, ToolDef } from "../src/contract/tool.ts";
import { ShownFiles } from "../src/files/edit/shown-files.ts";
import { builtinFormats } from "../src/files/formats/index.ts";
import { Session } from "../src/session/session.ts";
import { readTool } from "../src/tools/builtin/read/index.ts";
import { readFileTool } from "../src/tools/builtin/read-file/index.ts";
import { defineProfile } from "../src/tools/profiles/define.ts";
import { FAMILIES } from "../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../src/world/env/local.ts";
import { plainRounds } from "./plain-agent.ts";

/** Reading is this process's own work; a command is waited for. */
const CLOCKS = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  wall: () => performance.now(),
};
type Clock = () => number;

const WARM_UP = 100;
const ROUNDS = 200;
const BLOCKS = 2;

export const benches: Bench[] = [
  {
    name: "a small read by one path text over read_file",
    run: () => readOverReadFile(),
  },
  {
    name: "one read_file round of a profile over 80 lines of plain Node",
    run: () =>
      overPlain(CLOCKS.cpu, "read_file", { file_path: "small.txt" }, ({ file_path }, folder) =>
        readFile(join(folder, file_path!), "utf8"),
      ),
  },
  {
    name: "one echo round of a profile over 80 lines of plain Node",
    run: () => overPlain(CLOCKS.wall, "shell", { command: "echo hello" }, ({ command }) => plainShell(command!)),
  },
];

/** The call alone, as the session makes it: judged, then carried out. */
async function readOverReadFile() {
  const folder = mkdtempSync(join(tmpdir(), "lathe-bench-"));
  writeFileSync(join(folder, "small.txt"), "A small file of a few lines.\n".repeat(10));
  const env = new LocalEnvironment({ cwd: folder, baseEnv: process.env });
  const services = { vision: false, shownFiles: new ShownFiles(), formats: builtinFormats };
  const { signal } = new AbortController();
  const times = { read: [] as number[], file: [] as number[] };
  const once = async <Args>(tool: ToolDef<Args>, args: Args): Promise<number> => {
    const scope = { env, signal, services, paths: new CallPaths(env, signal) };
    const began = performance.now();
    await tool.access?.(args, scope);
    await tool.execute(args, { ...scope, ...UNUSED });
    return performance.now() - began;
  };
  for (let round = 0; round < 3_000; round++) {
    times.read.push(await once(readTool, { path: "small.txt" }));
    times.file.push(await once(readFileTool, { file_path: "small.txt" }));
  }
  await env.cleanup();
  rmSync(folder, { recursive: true });
  const [value, base] = [median(times.read.slice(500)), median(times.file.slice(500))];
  const note = `${(value * 1000).toFixed(0)} us against ${(base * 1000).toFixed(0)} us`;
  return { value: value / base, unit: "x", budget: 1.1, note };
}

const UNUSED: Omit<ToolContext, keyof CallScope> = {
  callId: "call",
  onOutput: () => {},
  openArtifact: () => {
    throw new Error("nothing here is that long");
  },
  blobs: new MemoryBlobs(),
  messages: () => [],
  call: () => Promise.reject(new Error("no session")),
};

type PlainTool = NonNullable<Parameters<typeof plainRounds>[3]>;

async function overPlain(clock: Clock, tool: string, args: object, plainTool: PlainTool) {
  const folder = mkdtempSync(join(tmpdir(), "lathe-bench-"));
  writeFileSync(join(folder, "small.txt"), "A small file of a few lines.\n".repeat(10));
  const rounds = String((WARM_UP + ROUNDS) * BLOCKS * 2 + 10);
  const server = fork(fileURLToPath(new URL("./tools-server.ts", import.meta.url)), [
    tool,
    JSON.stringify(args),
    rounds,
  ]);
  const plain: number[] = [];
  const own: number[] = [];
  try {
    const { url } = await new Promise<{ url: string }>((resolve) => server.once("message", resolve as never));
    for (let block = 0; block < BLOCKS; block++) {
      plain.push(...(await plainTimes(clock, url, folder, plainTool)));
      own.push(...(await sessionTimes(clock, url, folder, tool)));
    }
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
  const [base, value] = [median(plain), median(own)];
  return { value: value / base, unit: "x", budget: 2.5, note: `${value.toFixed(2)} ms against ${base.toFixed(2)} ms` };
}

async function plainTimes(clock: Clock, url: string, folder: string, tool: PlainTool): Promise<number[]> {
  const marks: number[] = [];
  await plainRounds(url, folder, WARM_UP + ROUNDS, async (input, where) => {
    marks.push(clock());
    return tool(input, where);
  });
  return durations(marks);
}

async function sessionTimes(clock: Clock, url: string, folder: string, tool: string): Promise<number[]> {
  const deps = defaultDeps({ env: {} });
  const marks: number[] = [];
  const session = new Session({
    profile: defineProfile(FAMILIES.anthropic, { model: "claude-opus-4-6", only: [tool], basePrompt: "Work." }),
    env: new LocalEnvironment({ cwd: folder, baseEnv: process.env }),
    client: new Client({
      providers: { anthropic: createProvider("anthropic", { apiKey: "key", baseUrl: url, deps }) },
      deps,
    }),
    deps,
    config: { maxToolRoundsPerInput: WARM_UP + ROUNDS, enableLoopDetection: false },
    onEvent: (event) => {
      if (event.kind === "tool_call_start") marks.push(clock());
    },
  });
  await session.submit("go");
  await session.close();
  return durations(marks);
}

function durations(marks: readonly number[]): number[] {
  return marks.slice(WARM_UP + 1).map((mark, i) => mark - marks[WARM_UP + i]!);
}

function plainShell(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
