// An ACP agent as a provider, with a real program: how it starts or does not, and how its answers are cut off.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalEnvironment } from "@lathe/agent";
import { Message, messageOf, type Request, type StreamEvent } from "@lathe/llm";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { AcpAdapter } from "../src/found/agents/acp/adapter.ts";
import { openLink } from "../src/found/agents/acp/link.ts";
import { CLI } from "./command.ts";

/** Bundled into one file, so that it starts in half the time. */
const bundled = mkdtempSync(join(tmpdir(), "lathe-acp-agent-"));
const PROGRAM = join(bundled, "agent.mjs");
beforeAll(async () => {
  const source = fileURLToPath(new URL("acp-scripted-agent.mjs", import.meta.url));
  await build({
    entryPoints: [source],
    outfile: PROGRAM,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
});
afterAll(() => rmSync(bundled, { recursive: true, force: true }));

let dir: string;
let env: LocalEnvironment;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "lathe-acp-"));
  env = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] ?? "" } });
});
afterEach(async () => {
  await env.cleanup();
  rmSync(dir, { recursive: true, force: true });
});

const log = (): string => join(dir, "agent.log");
const notes = (): string[] => (existsSync(log()) ? readFileSync(log(), "utf8").trim().split("\n") : []);
const started = (): number => notes().filter((line) => line.startsWith("pid")).length;

function adapterFor(manner: string, { startMs = 60_000, program = process.execPath } = {}): AcpAdapter {
  return new AcpAdapter({
    program: "the program",
    instructions: "",
    open: (signal) => openLink({ command: [program, PROGRAM, manner, log()], env, startMs, signal }),
    // Deadlines of minutes are seconds here.
    setTimer: (work, ms) => {
      const timer = setTimeout(work, ms / 50);
      return { cancel: () => clearTimeout(timer) };
    },
  });
}

const request = (...messages: readonly Message[]): Request => ({ model: "m", provider: "acp", messages });
const steps = (...list: readonly (readonly string[])[]) => Message.user(`Do:\n${JSON.stringify(list)}`);

async function events(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

async function answer(adapter: AcpAdapter, ...messages: readonly Message[]): Promise<string> {
  const response = await adapter.complete(request(...messages), {}).catch((error: unknown) => messageOf(error));
  if (typeof response === "string") return response;
  expect(response.usage.totalTokens).toBeGreaterThan(0);
  return response.toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`).join("\n");
}

describe("an ACP agent's program", () => {
  it("M1 that does not start, or is none, fails in one line and leaves no process", async () => {
    const cases: [string, Parameters<typeof adapterFor>[1], string][] = [
      ["gone", {}, "it ended with code 3: Error: no licence found"],
      ["noisy", {}, "it writes something other than ACP messages to stdout"],
      ["deaf", { startMs: 300 }, "it did not answer initialize within 0.3 s"],
      ["old", {}, "it speaks version 7 of ACP, and Lathe speaks version 1"],
      ["locked", {}, "it needs a sign-in (Sign in): run it once in a terminal"],
      ["well", { program: "no-such-program" }, "no-such-program"],
    ];
    const said = cases.map(async ([manner, how]) => {
      const adapter = adapterFor(manner, how);
      const text = await answer(adapter, steps(["say", "hi"]));
      await adapter.close();
      return text;
    });
    for (const [index, text] of (await Promise.all(said)).entries()) {
      expect(text).toMatch(/^the program cannot be started: .*$/);
      expect(text).toContain(cases[index]![2]);
    }
    for (const line of notes()) expect(existsSync(`/proc/${line.slice(4)}`)).toBe(false);
  });

  it("M1 may print a greeting and send what is no message of the protocol; what it says last is its result", async () => {
    const adapter = adapterFor("greeting");
    const list = steps(
      ["invalid", "agent_message_chunk"],
      ["invalid", "tool_call"],
      ["invalid", "new_kind"],
      ["say", "hi"],
    );
    expect(await answer(adapter, list)).toBe('yield {"output":"hi"}');
    await adapter.close();
  });

  it("M1 text, thoughts and what it wants from the session follow the grammar of streams; a refused wish is its error", async () => {
    const adapter = adapterFor("well");
    const prompt = steps(["think", "hm"], ["say", "one "], ["say", "two"], ["read", "a.txt"], ["relative", "a.txt"]);
    const first = await events(adapter.stream(request(prompt), {}));
    expect(first.map(({ type }) => type)).toEqual([
      "stream_start",
      ...["reasoning_start", "reasoning_delta", "reasoning_end"],
      ...["text_start", "text_delta", "text_delta", "text_end"],
      ...["tool_call_start", "tool_call_delta", "tool_call_end", "finish"],
    ]);
    const last = first.at(-1)!;
    const response = last.type === "finish" ? last.response : undefined;
    const [read] = response?.toolCalls ?? [];
    expect(read).toMatchObject({ name: "acp_read", arguments: { path: join(dir, "a.txt") } });
    const denied = Message.toolResult({ toolCallId: read!.id, content: "Denied: not this file.", isError: true });
    // A message sent during a turn waits until the prompt has ended, since the protocol has no other way.
    const later = await answer(adapter, prompt, response!.message, denied, steps(["say", "steered"]));
    expect(later).toBe('yield {"output":"steered"}');
    expect(notes().filter((line) => line.startsWith("prompt"))).toHaveLength(2);
    await adapter.close();
  });

  it("M1 that names another session than its own gets nothing, and what it tells of one is not taken for its words", async () => {
    const adapter = adapterFor("well");
    const said = await answer(adapter, steps(["elsewhere", "a.txt"], ["say", "."]));
    expect(said.match(/there is no such session/g)).toHaveLength(4);
    expect(said).not.toContain("told elsewhere");
    await adapter.close();
  });

  it("M1 that stops for another reason than that it is done has failed, and takes the next message", async () => {
    const adapter = adapterFor("well");
    const refused = steps(["say", "x"], ["stop", "refusal"]);
    expect(await answer(adapter, refused)).toBe("the program stopped: its model refused");
    const cut = steps(["stop", "max_tokens"]);
    expect(await answer(adapter, refused, cut)).toBe("the program stopped: its answer reached the limit of its model");
    expect(started()).toBe(1);
    await adapter.close();
  });

  it("M1 that crashes in mid-turn has failed with its last words; the next message starts another, which is told what was", async () => {
    const adapter = adapterFor("well");
    const prompt = steps(["say", "half"], ["crash"]);
    expect(await answer(adapter, prompt)).toBe("the program: it ended with code 9: Error: out of luck");
    const more = [prompt, Message.assistant("half"), steps(["say", "again"])];
    expect(await answer(adapter, ...more)).toBe('yield {"output":"again"}');
    expect(started()).toBe(2);
    expect(notes().at(-1)).toContain("You answered before:\\nhalf");
    await adapter.close();
  });

  it.each([
    ["well", 1],
    ["stubborn", 2],
  ])(
    "M1 that is interrupted is told to stop; one that is %s takes the next message in program %i",
    async (manner, count) => {
      const adapter = adapterFor(manner);
      const stop = new AbortController();
      const running = events(adapter.stream(request(steps(["say", "x"], ["wait"])), { signal: stop.signal }));
      await until(() => notes().some((line) => line.startsWith("prompt")));
      stop.abort();
      expect((await running).at(-1)).toMatchObject({ type: "error", error: { kind: "cancelled" } });
      expect(await answer(adapter, steps(["say", "next"]))).toBe('yield {"output":"next"}');
      expect(notes()).toContain("cancel");
      expect(started()).toBe(count);
      await adapter.close();
    },
  );

  it("M1 another Lathe is such a program: `lathe acp` reads files through the session that started it", async () => {
    const own = { HOME: dir, LATHE_HOME: join(dir, "home") };
    const inside = new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] ?? "", ...own } });
    const command = [process.execPath, CLI, "acp", "--model", "practice/basic"] as const;
    const adapter = new AcpAdapter({
      program: "the other Lathe",
      instructions: "",
      open: (signal) => openLink({ command: [...command], env: inside, startMs: 60_000, signal }),
      setTimer: (work, ms) => {
        const timer = setTimeout(work, ms);
        return { cancel: () => clearTimeout(timer) };
      },
    });
    writeFileSync(join(dir, "a.txt"), "one\n");
    const asked = await answer(adapter, Message.user("show a.txt"));
    expect(asked).toContain(`acp_read {"path":"${join(dir, "a.txt")}"`);
    await adapter.close();
    await inside.cleanup();
  });
});
