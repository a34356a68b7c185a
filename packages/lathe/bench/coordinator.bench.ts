// What a turn costs through the coordinator, with its session in tmux, against the same turn over RPC; and what a coordinator costs that
// has nothing to do.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const TURNS = 40;
const CALLS = 3;
const SESSIONS = 3;
/** A fast model of today takes several times as long. */
const ANSWER_MS = 100;
const IDLE_MS = 5_000;
const MS_PER_TICK = 10;
const ARGS = ["--model", "openai/gpt-5", "--permission-mode", "full"];

/** Some commands, then an answer. */
function answerTo({ view }: RecordedRequest): Turn {
  if (view.tools.length === 0) return turn.text("A title");
  const last = view.messages.findLastIndex(({ role, results }) => role === "user" && results.length === 0);
  const done = view.messages.slice(last).flatMap(({ results }) => results).length;
  return done < CALLS
    ? turn.calls([{ name: "shell", args: { command: `echo ${view.messages.length}` } }])
    : turn.text("word ".repeat(100));
}

/**
 * One of a kind: it is closed with what runs in it.
 * @param answerMs until an answer of the model begins
 */
async function place(answerMs = 0) {
  const before = () => new Promise<void>((resolve) => setTimeout(resolve, answerMs));
  const server = await startModelServer({ script: (request) => ({ ...answerTo(request), before }) });
  const home = mkdtempSync(join(tmpdir(), "lathe-coordinator-"));
  const project = join(home, "project");
  mkdirSync(project);
  const socket = `lathe-bench-${process.pid}`;
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    OPENAI_API_KEY: "bench",
    OPENAI_BASE_URL: server.baseUrl("openai"),
    LATHE_TMUX_SOCKET: socket,
    LATHE_COORDINATOR_MCP_WORKDIR_ROOTS: project,
    LATHE_COORDINATOR_MCP_MUTATIONS: "all",
    LATHE_COORDINATOR_MCP_SESSION_COMMAND: `lathe ${ARGS.join(" ")}`,
    LATHE_COORDINATOR_MCP_STATE_ROOT: join(home, "state"),
  };
  const client = new Client({ name: "bench", version: "1" });
  const args = [CLI, "mcp-serve", "coordinator"];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, cwd: project });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { structuredContent: reply, isError } = await client.callTool({
      name: `lathe_coordinator_${name}`,
      arguments: { ...args, ...(/^(start|send)/.test(name) ? { allow_mutation: true } : {}) },
    });
    if (isError) throw new Error(`${name}: ${JSON.stringify(reply)}`);
    return reply as Record<string, unknown>;
  };
  const close = async (): Promise<void> => {
    await client.close();
    spawnSync("tmux", ["-L", socket, "kill-server"]);
    await server.close();
  };
  return { env, project, call, close, pid: transport.pid ?? 0 };
}

/** A host over RPC: the time from a prompt to the end of its work. */
function rpcHost(env: Readonly<Record<string, string>>, cwd: string) {
  const child = spawn(process.execPath, [CLI, "--mode", "rpc", ...ARGS], { cwd, env });
  child.stderr.resume();
  let ended = (): void => {};
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { type, payload } = JSON.parse(line) as { type: string; payload?: { event_type: string } };
    if (type === "event" && payload?.event_type === "agent_end") ended();
  });
  const turn = async (message: string): Promise<void> => {
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    child.stdin.write(`${JSON.stringify({ type: "prompt", message })}\n`);
    await end;
  };
  return { turn, close: () => void child.stdin.end() };
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Of the process and none of its children, since its start. */
function cpuTicks(pid: number): number {
  const [, fields = ""] = /\) (.*)$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return (user ?? 0) + (system ?? 0);
}

async function turnOverRpc(answerMs: number, budget: number) {
  const { call, env, project, close } = await place(answerMs);
  const { session_id } = await call("start_session", { cwd: project });
  const rpc = rpcHost(env, project);
  const best = { ours: Number.POSITIVE_INFINITY, rpc: Number.POSITIVE_INFINITY };
  for (let round = 0; round < TURNS; round++) {
    const ours = await took(async () => {
      const { turn_id } = await call("send_prompt", { session_id, prompt: `work ${round}` });
      await call("await_turn", { turn_id });
    });
    best.ours = Math.min(best.ours, ours);
    best.rpc = Math.min(best.rpc, await took(() => rpc.turn(`work ${round}`)));
  }
  rpc.close();
  await close();
  return ratio(best.ours, best.rpc, { budget, unit: "ms" });
}

export const benches: Bench[] = [
  // What the coordinator and the screen of the session add is the same for each turn: it shows most where the model takes no time.
  { name: `a turn of ${CALLS} commands through the coordinator over RPC`, run: () => turnOverRpc(0, 1.4) },
  {
    name: `the same when an answer of the model takes ${ANSWER_MS} ms to begin`,
    run: () => turnOverRpc(ANSWER_MS, 1.2),
  },
  {
    name: `CPU of a coordinator with ${SESSIONS} idle sessions in ${IDLE_MS / 1_000} s`,
    async run() {
      const { call, project, close, pid } = await place();
      for (let i = 0; i < SESSIONS; i++) {
        const { session_id } = await call("start_session", { cwd: project });
        const { turn_id } = await call("send_prompt", { session_id, prompt: "work" });
        await call("await_turn", { turn_id });
      }
      const { latest_event_seq } = await call("read_coordination_status", {});
      const waiting = call("watch_events", { after_seq: latest_event_seq, timeout_ms: IDLE_MS + 4_000 });
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const before = cpuTicks(pid);
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      const ms = (cpuTicks(pid) - before) * MS_PER_TICK;
      await waiting;
      await close();
      return { value: ms, unit: "ms", budget: MS_PER_TICK };
    },
  },
];
