import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message } from "@lathe/llm";
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { hasBegun } from "../../src/record/journal/has-begun.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { bundleProgram } from "../support/bundle.ts";
import { CHILD_TASK, runScenario } from "./scenario.ts";

const ROUNDS = 12;
/**
 * A long run tries all writes; a short one tries different ones each time. An odd step alternates between before and
 * after a write.
 */
const isLong = process.env["LATHE_LONG"] !== undefined;
const EVERY = isLong ? 1 : 49;
const RANDOM_KILLS = isLong ? 50 : 2;
const root = mkdtempSync(join(tmpdir(), "lathe-crash-"));
const bundle = join(root, "victim.mjs");
let server: ModelServer;
let reference: string[];
let writes = 0;

beforeAll(async () => {
  server = await startModelServer({ script: answer });
  await bundleProgram(fileURLToPath(new URL("./victim.ts", import.meta.url)), bundle);
  const folder = fresh("reference");
  const said = await victim(folder, 0, "after");
  writes = Number(said);
  reference = normalised(folder);
});
afterAll(() => server.close());

/** The scripted model: what it says depends only on how far the conversation is. */
function answer(request: RecordedRequest): Turn {
  const { messages } = request.view;
  const said = messages.filter((message) => message.role === "assistant").length;
  const id = (n: number): string => `${isChild ? "k" : "p"}${said}_${n}`;
  const isChild = messages[0]!.text.includes(CHILD_TASK);
  const look = (n: number) => ({ name: "look", args: { n }, id: id(n) });
  const act = (n: number) => ({ name: "act", args: { n }, id: id(n) });
  if (isChild) return said < 2 ? turn.calls([look(0), act(1)]) : turn.text("child is done");
  if (said === 7) return turn.calls([{ name: "spawn_agent", args: { task: CHILD_TASK }, id: id(0) }]);
  if (said === 9) return turn.calls([{ name: "wait", args: { agent_id: spawnedIn(request) }, id: id(0) }, look(1)]);
  if (said % 4 === 2) return turn.calls([{ name: "nest", args: { n: 5 }, id: id(5) }, look(1)]);
  if (said < ROUNDS) return turn.calls(said % 2 === 0 ? [look(0)] : [act(0), look(1), act(2)]);
  return turn.text("parent is done");
}

function spawnedIn(request: RecordedRequest): string {
  return /agent_id\\*":\\*"(\w+)/.exec(request.result("p7_0") ?? "")?.[1] ?? "none";
}

function fresh(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Resolves with its output; "" if it was killed. */
function victim(folder: string, killAt: number, moment: "before" | "after", killAfterMs?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [bundle, folder, server.baseUrl("anthropic"), String(killAt), moment];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], cwd: root });
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code !== null && code !== 0) reject(new Error(`the victim ended with ${code}`));
      else resolve(said);
    });
  });
}

function lines(folder: string, name: string): string[] {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}

function readJournal(path: string): Journal | undefined {
  if (!hasBegun(path)) return undefined;
  return Journal.open(new FileStore(path), { blobs: new MemoryBlobs(), now: () => 0, newId: () => "" });
}

const INTERRUPTED = "<interrupted>";

/** The history as text, without agent ids, with "interrupted" results marked. */
function normalised(folder: string): string[] {
  const journal = readJournal(join(folder, "s.jsonl"))!;
  return journal.context.messages.map((message) => describeMessage(message));
}

function describeMessage(message: Message): string {
  const parts = message.content.map((part) => {
    if (part.kind === "text") return part.text;
    if (part.kind === "tool_call") return `${part.toolCall.name} ${JSON.stringify(part.toolCall.arguments)}`;
    if (part.kind !== "tool_result") return part.kind;
    const text = String(part.toolResult.content);
    // We cannot wait for a child that was cut off, or whose start is unknown.
    return /interrupted|There is no agent/.test(text) ? INTERRUPTED : text;
  });
  return `${message.role}: ${parts.join(" | ")}`.replace(/agent_id":"\w+/g, 'agent_id":"x');
}

function settledCalls(folder: string): Set<string> {
  const journal = readJournal(join(folder, "s.jsonl"));
  return new Set(
    journal?.context.messages.flatMap((message, at) =>
      message.role === "tool" && journal.context.entryIds[at] !== undefined ? [message.toolCallId!] : [],
    ),
  );
}

/** Reopens, continues, compares. Returns what is wrong, or undefined. */
async function recoverAndJudge(folder: string): Promise<string | undefined> {
  const acked = lines(folder, "acks.log");
  const before = readJournal(join(folder, "s.jsonl"));
  const children = acked.length === 0 ? [] : childJournals(folder);
  const known = new Set([before, ...children].flatMap((journal) => (journal ? [...journal.entryIds()] : [])));
  const lost = acked.filter((id) => !known.has(id));
  if (lost.length > 0) return `acknowledged entries are missing: ${lost.join(", ")}`;
  const settled = settledCalls(folder);
  const ranBefore = lines(folder, "runs.log");

  await runScenario({ folder, serverUrl: server.baseUrl("anthropic"), onWrite: () => {} });

  const ran = lines(folder, "runs.log");
  const again = ran.slice(ranBefore.length).filter((line) => settled.has(line.split(" ")[1]!));
  if (again.length > 0) return `settled calls ran again: ${again.join(", ")}`;
  const never = ran.filter((line) => line.startsWith("never"));
  if (new Set(never).size !== never.length) return `a call that must not be repeated ran twice: ${never.join(", ")}`;
  const after = normalised(folder);
  const differs = reference.findIndex((line, i) => after[i] !== line && !after[i]?.includes(INTERRUPTED));
  if (after.length !== reference.length || differs >= 0) {
    return `the history differs at ${differs}: ${after[differs]} instead of ${reference[differs]} (${after.length}/${reference.length})`;
  }
  const journal = readJournal(join(folder, "s.jsonl"))!;
  if (journal.openIntents().length > 0) return "effects are still open";
  return undefined;
}

function childJournals(folder: string): Journal[] {
  return lines(folder, "s.jsonl")
    .flatMap((line) => /"kind":"agent".*?"agentId":"(\w+)"/.exec(line)?.[1] ?? [])
    .flatMap((agentId) => readJournal(join(folder, "s", `${agentId}.jsonl`)) ?? []);
}

async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<string | undefined>): Promise<string[]> {
  const problems: string[] = [];
  let at = 0;
  const lane = async () => {
    while (at < items.length) {
      const item = items[at++]!;
      const problem = await work(item).catch((error: unknown) => String(error));
      if (problem !== undefined) problems.push(`${JSON.stringify(item)}: ${problem}`);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return problems;
}

describe("crash matrix", () => {
  it("the uninterrupted run has 12 rounds, steering and a child", () => {
    expect(reference.filter((line) => line.startsWith("assistant"))).toHaveLength(ROUNDS + 1);
    expect(reference.filter((line) => line.startsWith("user: steered"))).toHaveLength(3);
    expect(reference.join("\n")).toContain("child is done");
    expect(reference.join("\n")).not.toContain(INTERRUPTED);
  });

  it(`SIGKILL at ${EVERY === 1 ? "every journal write" : "some of the journal writes"}: nothing lost, nothing settled runs twice, the same history`, {
    timeout: 300_000,
  }, async () => {
    const points = Array.from({ length: writes }, (_, i) => i + 1).flatMap((at) =>
      (["before", "after"] as const).map((moment) => ({ at, moment })),
    );
    const offset = Math.floor(Math.random() * EVERY);
    const tried = points.filter((_, i) => i % EVERY === offset);
    const problems = await inPairs(tried, async ({ at, moment }) => {
      const folder = fresh(`at-${at}-${moment}`);
      await victim(folder, at, moment);
      return recoverAndJudge(folder);
    });
    console.log(
      `crash matrix: N = ${writes} journal writes, killed before and after: ${tried.length} of ${points.length} runs`,
    );
    expect(problems).toEqual([]);
  });

  it(`SIGKILL at ${RANDOM_KILLS} random times: the same`, { timeout: 300_000 }, async () => {
    const started = performance.now();
    await victim(fresh("timing"), 0, "after");
    const length = performance.now() - started;
    const times = Array.from({ length: RANDOM_KILLS }, () => Math.random() * length);
    const problems = await inPairs(
      times.map((ms, run) => ({ run, ms })),
      async ({ run, ms }) => {
        const folder = fresh(`random-${run}`);
        await victim(folder, 0, "after", ms);
        return recoverAndJudge(folder);
      },
    );
    expect(problems).toEqual([]);
  });
});
