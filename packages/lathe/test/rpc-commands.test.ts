import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../src/hosts/rpc/commands.ts";
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
  sessionName: string | null;
  messageCount: number;
  thinkingLevel: string;
  todoPhases: { tasks: { status: string }[] }[];
  dumpTools?: unknown[];
  systemPrompt?: string[];
}
const state = (host: RpcHost, params: object = {}): Promise<State> => host.data<State>("get_state", params);

/** A session with two finished turns, and two models to choose from. */
async function twoTurns(): Promise<RpcHost> {
  rig.server.push(turn.text("first answer"), turn.text("second answer"));
  const host = await rig.start("--models", "openai/gpt-5.2,openai/gpt-5-mini");
  await host.prompt("one");
  await host.prompt("two");
  return host;
}

describe("RPC: commands", () => {
  it("G-05 MO-05 every command is answered once with its id; what does not exist yet says so", async () => {
    const host = await twoTurns();
    const { sessionFile } = await state(host);
    const branches = await host.data<{ messages: { entryId: string }[] }>("get_branch_messages");
    const params: Partial<Record<keyof typeof COMMANDS, object>> = {
      prompt: { message: "x" },
      steer: { message: "x" },
      follow_up: { message: "x" },
      abort_and_prompt: { message: "x" },
      set_todos: { phases: [] },
      set_model: { provider: "openai", modelId: "gpt-5.2" },
      set_thinking_level: { level: "low" },
      set_permission_mode: { mode: "ask" },
      set_steering_mode: { mode: "all" },
      set_follow_up_mode: { mode: "all" },
      set_interrupt_mode: { mode: "wait" },
      set_auto_compaction: { enabled: false },
      set_auto_retry: { enabled: true },
      bash: { command: "echo out; echo err >&2; exit 3" },
      export_html: { outputPath: "page.html" },
      switch_session: { sessionPath: sessionFile },
      branch: { entryId: branches.messages[1]?.entryId },
      navigate_tree: { entryId: branches.messages[0]?.entryId },
      set_label: { entryId: branches.messages[0]?.entryId, label: "start" },
      move_session: { directory: ".." },
      rewind: { entryId: branches.messages[0]?.entryId },
      set_session_name: { name: " my session " },
      agent_send: { agentId: "nobody", message: "x" },
      agent_stop: { agentId: "nobody" },
      get_agent_output: { agentId: "nobody" },
      get_entry: { entryId: branches.messages[0]?.entryId },
      read_artifact: { artifactId: 1 },
      stop_job: { jobId: 1 },
      edit_queued: { messageId: "none", message: "x" },
      cancel_queued: { messageId: "none" },
      set_host_tools: { tools: [] },
      set_host_uri_schemes: { schemes: [] },
      workflow_gate_response: { gate_id: "g", answer: 1 },
      negotiate_unattended: { declaration: {} },
    };
    rig.server.push(...Array.from({ length: 8 }, () => turn.text("more")));
    const replies: Record<string, unknown> = {};
    const failed: string[] = [];
    const running = new Set(["prompt", "steer", "follow_up", "abort_and_prompt"]);
    // A new session has nothing to export or to branch from; a short one has nothing to compact.
    const names = (Object.keys(COMMANDS) as (keyof typeof COMMANDS)[]).filter(
      (name) => name !== "new_session" && name !== "compact",
    );
    // While the session still has what they take back.
    const early = ["prompt", "rewind", "redo", "undo"] as const;
    const order = [...new Set([...early, ...names, "new_session" as const])];
    for (const command of order) {
      const from = host.frames.length;
      const reply = await host.ask(command, params[command] ?? {});
      replies[command] = reply["data"] ?? reply["error"];
      if (reply["success"] !== true) failed.push(command);
      if (running.has(command)) await host.event("agent_end", from);
      expect(host.frames.filter(({ id }) => id !== undefined && id === reply["id"])).toHaveLength(1);
    }
    expect(failed).toEqual([
      "continue",
      "agent_send",
      "agent_stop",
      "settle_worktree",
      "read_artifact",
      "stop_job",
      "get_diff",
      "get_agent_output",
      "workflow_gate_response",
      "negotiate_unattended",
    ]);
    const [gate, unattended] = failed.slice(-2).map((command) => replies[command]);
    expect(gate).toMatchObject({ code: "unknown_gate" });
    expect(unattended).toMatchObject({ code: "invalid_declaration" });
    expect(replies["bash"]).toMatchObject({ stdout: "out\n", stderr: "err\n", exitCode: 3, cancelled: false });
    expect(replies["set_auto_compaction"]).toBeUndefined();
    expect(await host.finish()).toBe(0);
  });

  it("G-05 compact puts a summary in the place of older messages, with what to pay attention to; the agent then reads it", async () => {
    const notes = "## Goal\nShip it.\n\n## Done\nThe first half.\n\n## Next steps\nThe second half.";
    rig.server.push(turn.text("word ".repeat(2000)), turn.text("short"), turn.text(notes), turn.text("fine"));
    const host = await rig.start();
    await host.prompt("tell me everything");
    await host.prompt("and now briefly");
    const reply = await host.data<{ summary: string; tokensBefore: number }>("compact", {
      customInstructions: "the half",
    });
    expect(reply.summary).toContain("The first half.");
    expect(reply.tokensBefore).toBeGreaterThan(2000);
    expect(JSON.stringify(rig.server.requests[2]?.body)).toContain("attention to: the half");
    await host.prompt("go on");
    const sent = JSON.stringify(rig.server.requests[3]?.body);
    expect(sent).toContain("The second half.");
    expect(sent).toContain("tell me everything");
    expect(sent).not.toContain("word word");
    expect(await host.ask("compact")).toMatchObject({ success: false });
    expect(await host.finish()).toBe(0);
  });

  it("G-05 the last text, the messages, the numbers and the page agree with what was said", async () => {
    const host = await twoTurns();
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "second answer" });
    const { messages } = await host.data<{ messages: unknown[] }>("get_messages");
    const { messageCount, sessionId } = await state(host);
    expect(messages).toHaveLength(messageCount);
    expect(await host.data("get_session_stats")).toMatchObject({
      sessionId,
      userMessages: 2,
      assistantMessages: 2,
      totalMessages: messageCount,
    });
    const { path } = await host.data<{ path: string }>("export_html", { outputPath: "page.html" });
    expect(path).toBe(join(rig.box.dir, "page.html"));
    expect(await readFile(path, "utf8")).toContain("second answer");
    expect(await host.finish()).toBe(0);
  });

  it("G-05 undo, redo and rewind move the conversation and the files, and name what was left", async () => {
    const call = { name: "shell", args: { command: "echo two > a.txt; echo two > b.txt" } };
    rig.server.push(turn.text("hello"), turn.calls([call]), turn.text("written"));
    await writeFile(join(rig.box.dir, "a.txt"), "one\n");
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("hello");
    await host.prompt("write");
    const path = join(rig.box.dir, "a.txt");
    const b = join(rig.box.dir, "b.txt");
    expect(await host.data("undo")).toMatchObject({ text: "write", restored: [path, b], left: [] });
    expect(await readFile(path, "utf8")).toBe("one\n");
    expect(await host.data("redo")).toMatchObject({ text: null, restored: [path, b], left: [] });
    expect(await readFile(path, "utf8")).toBe("two\n");
    await writeFile(path, "mine\n");
    const { messages } = await host.data<{ messages: { entryId: string }[] }>("get_branch_messages");
    const { entryId } = messages[1] ?? {};
    expect(await host.data("rewind", { entryId, parts: "files" })).toMatchObject({
      entryId,
      restored: [b],
      left: [{ path, why: "changed" }],
      unrecorded: null,
    });
    expect(await state(host)).toMatchObject({ messageCount: 6 });
    await host.data("set_label", { entryId, label: "start" });
    for (const part of ["nothing0", entryId!.slice(0, -1), "start"])
      expect((await host.ask("rewind", { entryId: part }))["error"]).toBe(
        `There is no entry ${part} in this session. See get_tree.`,
      );
    expect(await state(host)).toMatchObject({ messageCount: 6 });
    expect(await host.finish()).toBe(0);
  });

  it("G-05 a new session takes settings along; switching goes back to the first, and on", async () => {
    const host = await twoTurns();
    const first = await state(host);
    await host.data("set_thinking_level", { level: "low" });
    await host.data("set_session_name", { name: "the first" });
    const fresh = await host.data<{ sessionId: string }>("new_session", { parentSession: first.sessionFile });
    expect(fresh.sessionId).not.toBe(first.sessionId);
    expect(await state(host)).toMatchObject({ messageCount: 0, thinkingLevel: "low", sessionName: null });
    rig.server.push(turn.text("in the second"));
    await host.prompt("three");
    expect(JSON.stringify(rig.server.requests[2]?.body)).not.toContain("first answer");
    const second = await state(host);
    const header = JSON.parse((await readFile(second.sessionFile, "utf8")).split("\n")[0] ?? "") as object;
    expect(header).toMatchObject({ id: second.sessionId, parentSession: first.sessionFile });

    await host.data("switch_session", { sessionPath: first.sessionFile });
    expect(await state(host)).toMatchObject({ sessionId: first.sessionId, messageCount: 4, sessionName: "the first" });
    rig.server.push(turn.text("back again"));
    await host.prompt("four");
    expect(JSON.stringify(rig.server.requests[3]?.body)).toContain("first answer");
    expect((await host.ask("switch_session", { sessionPath: "/nowhere.jsonl" }))["error"]).toContain("not found");
    expect((await state(host)).sessionId).toBe(first.sessionId);
    expect(await host.finish()).toBe(0);
  });

  it("G-05 a session that another process has open is refused, and nothing changes", async () => {
    const first = await twoTurns();
    const { sessionFile } = await state(first);
    const second = await rig.start();
    const before = await state(second);
    const refused = await second.ask("switch_session", { sessionPath: sessionFile });
    expect(refused).toMatchObject({ success: false });
    expect((await state(second)).sessionId).toBe(before.sessionId);
    rig.server.push(turn.text("still here"));
    await second.prompt("hello");
    expect(await first.finish()).toBe(0);
    await second.data("switch_session", { sessionPath: sessionFile });
    expect((await state(second)).messageCount).toBe(4);
    expect(await second.finish()).toBe(0);
  });

  it("G-05 branching goes back before a message of the user and gives its text", async () => {
    const host = await twoTurns();
    const { messages } = await host.data<{ messages: { entryId: string; text: string }[] }>("get_branch_messages");
    expect(messages.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(await host.data("branch", { entryId: messages[1]?.entryId })).toMatchObject({
      text: "two",
      cancelled: false,
    });
    expect((await state(host)).messageCount).toBe(2);
    rig.server.push(turn.text("another way"));
    await host.prompt("other");
    const body = JSON.stringify(rig.server.requests[2]?.body);
    expect(body).toContain("first answer");
    expect(body).not.toContain("second answer");
    expect((await host.ask("branch", { entryId: "nothing0" }))["success"]).toBe(false);
    expect(await host.finish()).toBe(0);
  });

  it("G-05 models and levels: cycling alternates between the two of the scope, levels go round", async () => {
    const host = await twoTurns();
    const { models } = await host.data<{ models: { id: string }[] }>("get_available_models");
    expect(models.map(({ id }) => id)).toEqual(["gpt-5.2", "gpt-5-mini"]);
    const seen: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { model } = await host.data<{ model: { id: string } }>("cycle_model");
      seen.push(model.id);
    }
    expect(seen).toEqual(["gpt-5-mini", "gpt-5.2", "gpt-5-mini"]);
    expect((await state(host)).model).toEqual({ provider: "openai", id: "gpt-5-mini" });
    await host.data("set_thinking_level", { level: "high" });
    expect((await state(host)).thinkingLevel).toBe("high");
    const { level } = await host.data<{ level: string }>("cycle_thinking_level");
    expect(level).not.toBe("high");
    await host.data("set_thinking_level", { level: "low" });
    rig.server.push(turn.text("from the small one"));
    await host.prompt("three");
    expect(rig.server.requests[2]?.body).toMatchObject({ model: "gpt-5-mini", reasoning: { effort: "low" } });
    expect((await host.ask("set_model", { provider: "anthropic", modelId: "claude-x" }))["error"]).toContain(
      "No credential",
    );
    expect(await host.finish()).toBe(0);
  });

  it("G-05 a bash command can be aborted while others are answered; only one runs at a time", async () => {
    const host = await rig.start();
    host.send({ id: "long", type: "bash", command: "echo begun; sleep 60" });
    expect((await host.ask("bash", { command: "true" }))["error"]).toContain("already running");
    expect(await host.data("abort_bash")).toEqual({ aborted: true });
    const reply = await host.wait("the aborted command", ({ id }) => id === "long");
    expect(reply["data"]).toMatchObject({ cancelled: true, exitCode: null });
    expect(await host.data("bash", { command: "echo free" })).toMatchObject({ stdout: "free\n", exitCode: 0 });
    expect(await host.finish()).toBe(0);
  });

  it("G-04 set_todos normalises, get_state gives the same back, large fields come on request only", async () => {
    const host = await rig.start();
    const tasks = [
      { content: "a", status: "pending" },
      { content: "b", status: "pending" },
    ];
    const { todoPhases } = await host.data<Pick<State, "todoPhases">>("set_todos", {
      phases: [{ id: "p", name: "Build", tasks }],
    });
    expect(todoPhases[0]?.tasks.map(({ status }) => status)).toEqual(["in_progress", "pending"]);
    const small = await host.ask("get_state");
    expect((small["data"] as State).todoPhases).toEqual(todoPhases);
    expect(JSON.stringify(small).length).toBeLessThan(8192);
    expect(small["data"]).not.toHaveProperty("systemPrompt");
    const large = await state(host, { include: ["tools", "systemPrompt"] });
    expect(large.dumpTools?.length).toBeGreaterThan(3);
    expect(large.systemPrompt?.[0]?.length).toBeGreaterThan(100);
    // The tool sees what the host has set.
    rig.server.push(
      turn.calls([{ name: "todo", id: "t", args: { ops: [{ op: "done", task: "a" }] } }]),
      turn.text("done"),
    );
    await host.prompt("go on");
    expect((await state(host)).todoPhases[0]?.tasks.map(({ status }) => status)).toEqual(["completed", "in_progress"]);
    expect(rig.server.requests[1]?.result("t")).toContain("[x] a");
    expect(await host.finish()).toBe(0);
  });
});
