// The eight ways to talk to the agent, behind one interface: send something, learn how it ended. A mode that runs once
// per prompt resumes the session with the next prompt; the others stay open.

import { join } from "node:path";
import { createSession, openJournalFile } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { outcomeOf, type RunOutcome } from "../../src/hosts/headless/outcome.ts";
import type { Finished } from "../command.ts";
import { jsonLines } from "../contract-kit.ts";
import { eventOf, RpcHost } from "../rpc-host.ts";
import { KEY, type TerminalRun } from "../terminal/emulator.ts";
import { type FaultBench, SOUND_ANSWER } from "./bench.ts";
import { isFull } from "./report.ts";
import { ACP_ARGS, addToken, SERVE_ARGS, talkInEditor, talkToServer } from "./served-modes.ts";
import { FAULTY_ANSWER } from "./server-faults.ts";
import type { Ended, Talk } from "./talk.ts";

export type ModeName = "print" | "JSON" | "RPC" | "ACP" | "serve" | "terminal" | "plain" | "library";

export const MODES: Readonly<Record<ModeName, (bench: FaultBench) => Promise<Talk>>> = {
  print: async (bench) => oneRunEach(bench, ["-p"], printedEnd),
  JSON: async (bench) => oneRunEach(bench, ["--mode", "json", "-p"], resultLine),
  RPC: openRpc,
  ACP: (bench) => talkInEditor(bench.box.open(ACP_ARGS, bench.env), bench),
  serve: async (bench) => talkToServer(bench.box.start(SERVE_ARGS, bench.env), bench, await addToken(bench)),
  terminal: openTerminal,
  plain: openPlain,
  library: openLibrary,
};

function oneRunEach(bench: FaultBench, options: readonly string[], read: (run: Finished) => Ended): Talk {
  let last = -1;
  return {
    async say(text) {
      const run = await bench.run([...(bench.journals().length > 0 ? ["-c"] : []), ...options, text]);
      last = run.code ?? -1;
      return read(run);
    },
    leave: async () => last,
  };
}

const BY_CODE: Readonly<Record<number, Ended["how"]>> = { 0: "answer", 1: "failed", 3: "provider error" };

function printedEnd({ code, stdout, stderr }: Finished): Ended {
  const how = BY_CODE[code ?? -1];
  if (how === undefined) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  const said = stderr.split("\n").filter((line) => line.startsWith("lathe: "));
  return { how, words: how === "answer" ? stdout.trim() : (said.at(-1) ?? "").replace(/^lathe: /, "") };
}

function resultLine(run: Finished): Ended {
  const line = jsonLines(run.stdout).at(-1) ?? {};
  const status = { done: "answer", failed: "failed", provider_error: "provider error" }[String(line["status"])];
  const { how } = printedEnd(run);
  if (status !== how) throw new Error(`exit code ${run.code} with ${JSON.stringify(line)}`);
  return { how, words: String(how === "answer" ? line["text"] : line["error"]) };
}

async function openRpc(bench: FaultBench): Promise<Talk> {
  const host = new RpcHost(bench.box.open(bench.args(["--mode", "rpc"]), bench.env));
  await host.wait("ready", ({ type }) => type === "ready");
  return {
    async say(message) {
      const from = host.frames.length;
      host.send({ type: "prompt", message });
      const { reason, error } = await host.event("agent_end", from);
      if (error !== undefined) return { how: "error", words: String(error) };
      if (reason !== "completed") return { how: "error", words: String(reason) };
      const events = host.frames.slice(from).flatMap((frame) => (frame.type === "event" ? [eventOf(frame)] : []));
      const answer = events.findLast(({ type }) => type === "message_end")?.["message"] as Spoken | undefined;
      const words = answer?.content.flatMap(({ text = [] }) => text).join("") ?? "";
      if (isAnswer(words)) return { how: "answer", words };
      const warning = events.findLast(({ type }) => type === "lathe:warning");
      return { how: "error", words: String(warning?.["message"] ?? "an empty answer") };
    },
    leave: async () => (await host.finish()) ?? -1,
  };
}

const isAnswer = (words: string): boolean => [SOUND_ANSWER, FAULTY_ANSWER].includes(words);

interface Spoken {
  readonly content: readonly { readonly text?: string }[];
}

/**
 * Wide enough that long answers stay in the scrollback and no reason is wrapped. Only the long form uses a process for
 * each.
 */
const WIDE = { columns: 1000, inside: !isFull };

async function openTerminal(bench: FaultBench): Promise<Talk> {
  const run = bench.terminal([], WIDE);
  await run.see("/help");
  return {
    say: (text) => typeAndSee(run, text, new RegExp(`❯ ${text}\\n([\\s\\S]*?)\\nclaude-sonnet-4-5 · [\\d.]+m?s`)),
    leave: () => {
      run.type(KEY.ctrl("d"));
      return run.exited;
    },
  };
}

async function openPlain(bench: FaultBench): Promise<Talk> {
  const run = bench.terminal(["--plain"], WIDE);
  await run.see(/\/help\n›/);
  return {
    say: (text) => typeAndSee(run, text, new RegExp(`› ${text}\\nWorking\\.\\n([\\s\\S]*?)\\n›`)),
    leave: () => {
      run.type(`/quit${KEY.enter}`);
      return run.exited;
    },
  };
}

/** The last text before the end, ignoring lines that count or measure. */
async function typeAndSee(run: TerminalRun, text: string, ended: RegExp): Promise<Ended> {
  run.type(`${text}${KEY.enter}`);
  const rows = await run.seeAnywhere(ended);
  const block = ended.exec(rows.join("\n"))?.[1] ?? "";
  const lines = block.split("\n").filter((row) => row.trim() !== "" && !/^(Done|Ended) after/.test(row));
  const words = (lines.at(-1) ?? "").replace(/^[✗⚠] /, "");
  return { how: isAnswer(words) ? "answer" : "error", words };
}

/** As in the package's README: a journal on disk, opened again for every input. */
async function openLibrary(bench: FaultBench): Promise<Talk> {
  const deps = defaultDeps({ env: {} });
  const journal = openJournalFile({ path: join(bench.box.dir, "library.jsonl"), cwd: bench.box.dir, deps });
  const session = await createSession({
    model: "anthropic/claude-sonnet-4-5",
    apiKey: "k",
    baseUrl: bench.server.baseUrl("anthropic"),
    cwd: bench.box.dir,
    journal,
    deps,
    config: { retry: { maxRetries: 1, baseDelay: 0.001 }, firstEventTimeoutMs: 10_000, stallTimeoutMs: 10_000 },
  });
  return {
    async say(text) {
      const { reason, finish, error, text: answer } = await session.submit(text);
      const facts = { reason, text: answer, finish, denied: [], ...(error === undefined ? {} : { error }) };
      const { status, message = "" } = outcomeOf(facts);
      const how = LIBRARY[status] ?? "error";
      return { how, words: how === "answer" ? answer : message };
    },
    async leave() {
      await session.close();
      return 0;
    },
  };
}

const LIBRARY: Readonly<Partial<Record<RunOutcome["status"], Ended["how"]>>> = {
  done: "answer",
  failed: "failed",
  provider_error: "provider error",
};
