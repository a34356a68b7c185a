// RPC: switching between sessions. Each has its own model, effort, plan and queue.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

interface State {
  model: { provider: string; id: string };
  sessionId: string;
  sessionFile: string;
  thinkingLevel: string;
  queuedMessageCount: number;
  isStreaming: boolean;
  messageCount: number;
  todoPhases: { name: string }[];
}
const state = (host: RpcHost): Promise<State> => host.data<State>("get_state");

const todo = (name: string) => ({ phases: [{ name, tasks: [{ content: "a", status: "pending" }] }] });

/** Files that say who holds a session. */
async function locks(): Promise<string[]> {
  const names = await readdir(join(rig.box.env["LATHE_HOME"] ?? "", "sessions"), { recursive: true });
  return names.filter((name) => name.endsWith(".lock"));
}

describe("RPC: sessions", () => {
  it("G-01 a new name is a setTitle frame only when the host asks for them, and no model is asked for a title", async () => {
    rig.server.push(turn.text("hello"), turn.text("hello"));
    const plain = await rig.start();
    await plain.prompt("one");
    await plain.data("set_session_name", { name: "quiet" });
    await plain.data("get_state");
    expect(plain.frames.some(({ method }) => method === "setTitle")).toBe(false);
    rig.box.env["LATHE_RPC_EMIT_TITLE"] = "1";
    const host = await rig.start();
    await host.prompt("one");
    await host.data("set_session_name", { name: "told" });
    expect(await host.wait("the title", ({ method }) => method === "setTitle")).toMatchObject({ title: "told" });
    expect(rig.server.requests).toHaveLength(2);
  });

  it("MO-02 a command of bash is sent to the model with the next prompt, unless it is left out of the context", async () => {
    rig.server.push(turn.text("seen"));
    const host = await rig.start();
    await host.data("bash", { command: "echo shown-to-the-model" });
    await host.data("bash", { command: "echo kept-from-the-model", excludeFromContext: true });
    await host.prompt("go");
    const sent = JSON.stringify(rig.server.requests[0]?.body);
    expect([sent.includes("shown-to-the-model"), sent.includes("kept-from-the-model")]).toEqual([true, false]);
  });

  it("SP-03 G-40 G-05 switching ends what runs, empties the queue, and brings the other's model, effort and plan", async () => {
    rig.server.push(turn.text("in b"));
    const host = await rig.start();
    await host.data("set_model", { provider: "openai", modelId: "gpt-5-mini" });
    await host.data("set_todos", todo("plan of b"));
    await host.prompt("one");
    // After its last request: no other one notes it.
    await host.data("set_thinking_level", { level: "low" });
    const b = await state(host);

    await host.data("new_session");
    await host.data("set_model", { provider: "openai", modelId: "gpt-5.2" });
    await host.data("set_thinking_level", { level: "high" });
    const door = gate();
    rig.server.push(turn.text("half an answer", { beforeEvent: (i) => (i > 3 ? door.wait() : undefined) }));
    host.send({ type: "prompt", message: "two" });
    await door.reached;
    host.send({ type: "prompt", message: "later", streamingBehavior: "followUp" });
    const a = await state(host);
    expect(a).toMatchObject({ isStreaming: true, queuedMessageCount: 1 });

    await host.data("switch_session", { sessionPath: b.sessionFile });
    expect(await state(host)).toMatchObject({
      sessionId: b.sessionId,
      model: { provider: "openai", id: "gpt-5-mini" },
      thinkingLevel: "low",
      queuedMessageCount: 0,
      isStreaming: false,
      todoPhases: [{ name: "plan of b" }],
    });
    door.open();

    await host.data("switch_session", { sessionPath: a.sessionFile });
    expect(await state(host)).toMatchObject({
      sessionId: a.sessionId,
      model: { provider: "openai", id: "gpt-5.2" },
      thinkingLevel: "high",
      queuedMessageCount: 0,
      todoPhases: [],
    });
    rig.server.push(turn.text("all of it"));
    await host.prompt("again");
    const said = rig.server.requests
      .at(-1)
      ?.view.messages.map(({ text }) => text)
      .join("\n");
    expect(said).toMatch(/two[\s\S]*again/);
    expect(said).not.toContain("later");
    expect(rig.server.requests.at(-1)?.body).toMatchObject({ model: "gpt-5.2", reasoning: { effort: "high" } });
    expect(await host.finish()).toBe(0);
  });

  it("a session whose model cannot be had any more goes on with the present one", async () => {
    const other = await startModelServer({ script: () => turn.text("from claude") });
    try {
      const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: other.baseUrl("anthropic") };
      await rig.box.run(["--model", "anthropic/claude-sonnet-4-5", "-p", "hi"], { env });
    } finally {
      await other.close();
    }
    const [file = ""] = await readdir(join(rig.box.env["LATHE_HOME"] ?? "", "sessions"), { recursive: true }).then(
      (names) => names.filter((name) => name.endsWith(".jsonl")),
    );
    const host = await rig.start();
    await host.data("switch_session", { sessionPath: join(rig.box.env["LATHE_HOME"] ?? "", "sessions", file) });
    expect(await state(host)).toMatchObject({ model: { provider: "openai", id: "gpt-5.2" }, messageCount: 2 });
    expect(await host.finish()).toBe(0);
  });

  it("a key given for this run never goes to another provider, not even in a new session", async () => {
    const other = await startModelServer({ script: () => turn.text("from claude") });
    try {
      Object.assign(rig.env, { ANTHROPIC_API_KEY: "claude's own", ANTHROPIC_BASE_URL: other.baseUrl("anthropic") });
      const host = await rig.start("--api-key", "for openai only");
      await host.data("set_model", { provider: "anthropic", modelId: "claude-sonnet-4-5" });
      await host.data("new_session");
      await host.prompt("hello");
      expect(other.requests[0]?.headers["x-api-key"]).toBe("claude's own");
      await host.data("set_model", { provider: "openai", modelId: "gpt-5.2" });
      rig.server.push(turn.text("ok"));
      await host.data("new_session");
      await host.prompt("hello");
      expect(rig.server.requests[0]?.headers["authorization"]).toBe("Bearer for openai only");
      expect(await host.finish()).toBe(0);
    } finally {
      await other.close();
    }
  });

  it("a start that fails leaves no session locked; one that is in use is refused with code 2", async () => {
    rig.server.push(turn.text("one"));
    const first = await rig.start();
    await first.prompt("hi");
    for (const mode of ["rpc", "json"]) {
      const refused = await rig.box.run(["--mode", mode, "--model", "practice/basic", "-c"]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/is open in process .*--fork/) });
    }
    expect(await first.finish()).toBe(0);
    for (const mode of ["rpc", "json"]) {
      const failed = await rig.box.run(["--mode", mode, "--model", "openai/gpt-5.2", "-c"]);
      expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining("OPENAI_API_KEY") });
      expect(await locks()).toEqual([]);
    }
  });

  it("G-52 a continued session keeps its effort, unless the run names one", async () => {
    rig.server.push(turn.text("one"), turn.text("two"), turn.text("three"));
    const run = (...args: string[]) => rig.box.run(args, { env: rig.env });
    await run("--model", "openai/gpt-5.2:high", "-p", "hi");
    await run("-c", "-p", "and");
    await run("-c", "--thinking", "low", "-p", "and");
    expect(rig.server.requests.map(({ body }) => (body as { reasoning: { effort: string } }).reasoning.effort)).toEqual(
      ["high", "high", "low"],
    );
  });
});

it.each(["run-id", "output-schema", "record"])(
  "--%s is about one run: modes that take their prompts from stdin refuse it and say how",
  async (option) => {
    for (const mode of ["rpc", "json"]) {
      const { code, stdout, stderr } = await rig.box.run([
        ...["--mode", mode, "--model", "practice/basic", `--${option}`, "x"],
      ]);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`--${option} works with a prompt only: lathe --${option} <.+> -p <prompt>`));
      expect(stdout === "" || JSON.parse(stdout).status === "usage_error").toBe(true);
    }
  },
);

it("HD-05 a signal ends JSON commands with 130 and a result, also while stdin stays open", async () => {
  const door = gate();
  rig.server.push(turn.text("half", { before: door.wait }));
  const child = rig.box.start(["--mode", "json", "--model", "openai/gpt-5.2"], rig.env);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.write('{"type":"message","content":"one"}\n{"type":"message","content":"two"}\n');
  await door.reached;
  child.kill("SIGTERM");
  expect(await closed).toBe(130);
  door.open();
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "result",
    status: "interrupted",
  });
  expect(rig.server.requests).toHaveLength(1);
});
