import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventOf, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

describe("RPC: process and framing", () => {
  it("G-01 ready comes first, user overrides of todo are ignored, the end of stdin ends with 0", async () => {
    await mkdir(rig.box.env["LATHE_HOME"] ?? "", { recursive: true });
    await writeFile(join(rig.box.env["LATHE_HOME"] ?? "", "config.yml"), "todo: {enabled: false}\nsteeringMode: all\n");
    // The setting takes effect elsewhere.
    rig.server.push(turn.text("hi"));
    await rig.box.run(["--model", "openai/gpt-5.2", "-p", "hi"], { env: rig.env });
    expect(JSON.stringify(rig.server.requests[0]?.body)).not.toContain('"name":"todo"');
    const host = await rig.start();
    expect(host.frames[0]).toEqual({ type: "ready" });
    const { dumpTools, steeringMode } = await host.data<{ dumpTools: { name: string }[]; steeringMode: string }>(
      "get_state",
      { include: ["tools"] },
    );
    expect(dumpTools.map(({ name }) => name)).toContain("todo");
    expect(steeringMode).toBe("all");
    expect(await host.finish()).toBe(0);
  });

  it("G-01 MO-05 the end of stdin stops running work and rejects open host calls", async () => {
    const tool = { name: "never", description: "d", parameters: { type: "object" }, tier: "read" };
    rig.server.push(
      turn.calls([
        { name: "shell", args: { command: "sleep 60" } },
        { name: "never", args: {} },
      ]),
    );
    const host = await rig.start("--permission-mode", "full");
    await host.data("set_host_tools", { tools: [tool] });
    host.send({ type: "prompt", message: "go" });
    await host.wait("the host call", ({ type }) => type === "host_tool_call");
    await host.wait("the shell", (frame) => frame.type === "event" && eventOf(frame)["toolName"] === "shell");
    expect(await host.finish()).toBe(0);
  });

  it("G-01 an input that breaks off in the middle of a line ends with 0, as its end does", async () => {
    const host = await rig.start();
    host.child.stdin.write('{"type": "get_st');
    host.child.stdin.destroy(new Error("write after end"));
    expect(await host.finish()).toBe(0);
  });

  it.each([[["@README.md"]], [["fix it"]], [["-p", "fix it"]]])(
    "G-01 prompts on the command line are refused: %j",
    async (words) => {
      const { code, stdout, stderr } = await rig.box.run(["--mode", "rpc", "--model", "practice/basic", ...words]);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain("takes its prompts from stdin");
    },
  );

  it("G-01 without a credential it exits with 3 before it is ready", async () => {
    const { code, stdout, stderr } = await rig.box.run(["--mode", "rpc", "--model", "openai/gpt-5.2"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("OPENAI_API_KEY");
  });

  it("G-02 five bad and good commands are answered in order; an unknown one echoes its id", async () => {
    const host = await rig.start();
    host.raw('{"id":"a","type":"nope"}\nnot json\n{"id":"b","type":"set_session_name","name":""}\n');
    host.raw('{"id":"c","type":"set_model","provider":"x","modelId":"y"}\n{"id":"d","type":"get_state"}\n');
    await host.wait("d", ({ id }) => id === "d");
    expect(host.frames.slice(1)).toMatchObject([
      { id: "a", command: "nope", success: false },
      { command: "parse", success: false },
      { id: "b", success: false, error: "Session name cannot be empty" },
      { id: "c", success: false, error: "Model not found: x/y" },
      { id: "d", success: true },
    ]);
    expect(host.frames[2]).not.toHaveProperty("id");
    expect(await host.finish()).toBe(0);
  });

  it("G-02 parameters are checked before anything happens, and the message names the field", async () => {
    const host = await rig.start();
    expect((await host.ask("prompt"))["error"]).toBe("message is missing.");
    host.raw('{"id":7,"type":"get_state"}\n');
    expect(await host.wait("a number as id", ({ command }) => command === "get_state")).toMatchObject({
      success: false,
      error: "id must be a string, not 7.",
    });
    expect((await host.ask("prompt", { message: " " }))["error"]).toBe("message is empty.");
    expect((await host.ask("set_steering_mode", { mode: "some" }))["error"]).toBe(
      'mode must be one of all, one-at-a-time, not "some".',
    );
    expect((await host.ask("set_todos", { phases: [{ name: "a", tasks: [{ content: 1 }] }] }))["error"]).toBe(
      "phases[0].tasks[0].status is missing.",
    );
    host.send({ type: "extension_ui_response", id: "ui_99", confirmed: true });
    host.send({ type: "host_tool_result", id: "nobody", result: { content: [] } });
    host.send({ type: "host_tool_result", id: 7 });
    const bad = await host.wait("the refusal", ({ command }) => command === "host_tool_result");
    expect(bad["error"]).toBe("result is missing.");
    expect(await host.finish()).toBe(0);
  });

  it("G-01 huge, split, empty and odd lines survive", async () => {
    const host = await rig.start("--model", "practice/basic");
    const name = `${"é".repeat(3_000_000)}\u2028end`;
    const huge = `{"id":"huge","type":"set_session_name","name":${JSON.stringify(name)}}\r\n`;
    const bytes = Buffer.from(huge);
    for (let at = 0; at < bytes.length; at += 1_000_001) host.child.stdin.write(bytes.subarray(at, at + 1_000_001));
    host.raw('\n   \n[]\nnull\n"x"\n{"type":5}\n{}\n');
    await host.wait("six refusals", ({ command }) => command === "undefined");
    const refused = host.frames.filter(({ success }) => success === false).map(({ command }) => command);
    expect(refused).toEqual(["set_session_name", "parse", "parse", "parse", "5", "undefined"]);
    // It was read whole. Lists could not show such a name: they read the start of the session's file.
    expect(host.frames.find(({ id }) => id === "huge")).toMatchObject({
      error: "A name has at most 200 characters; this one has 3000004.",
    });
    await host.data("set_session_name", { name: "one\u2028line" });
    expect((await host.data<{ sessionName: string }>("get_state")).sessionName).toBe("one line");
    // A last line without its end still counts.
    host.raw('{"id":"last","type":"abort_bash"}');
    expect(await host.finish()).toBe(0);
    expect(host.frames.at(-1)).toMatchObject({ id: "last", success: true });
  });

  it("G-01 replies and events of many interleaved commands stay whole lines", async () => {
    rig.server.push(turn.text("word ".repeat(400), { deltaChars: 5 }));
    const host = await rig.start();
    host.send({ type: "prompt", message: "talk" });
    for (let i = 0; i < 200; i++) host.send({ id: `s${i}`, type: "get_state" });
    await host.wait("the last", ({ id }) => id === "s199");
    await host.event("agent_end");
    const ids = host.frames.filter(({ command }) => command === "get_state").map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 200 }, (_, i) => `s${i}`));
    expect(await host.finish()).toBe(0);
  });

  it("a host that does not read for a while stops neither the agent nor the brackets", async () => {
    const text = "0123456789".repeat(30_000);
    const reached = gate();
    rig.server.push(turn.text(text, { deltaChars: 30 }), turn.text("second", { before: reached.wait }));
    const host = await rig.start();
    host.child.stdout.pause();
    host.send({ type: "prompt", message: "talk" });
    host.send({ type: "follow_up", message: "and more" });
    // The second request is made although the first answer has not been read at all.
    await reached.reached;
    reached.open();
    host.child.stdout.resume();
    await host.wait("the second end", (frame) => frame.type === "event" && eventOf(frame).type === "agent_end", 10);
    await host.wait("rest", () => host.events().filter(({ type }) => type === "agent_end").length === 2);
    const updates = host.events().filter(({ type }) => type === "message_update");
    const deltas = updates.map(({ assistantMessageEvent }) => (assistantMessageEvent as { delta: string }).delta);
    expect(deltas.join("")).toBe(`${text}second`);
    expect(updates.length).toBeLessThan(10_000);
    expect(await host.finish()).toBe(0);
  });

  it("a host that has stopped reading cannot keep the agent alive after it closed stdin", async () => {
    rig.server.push(turn.text("0123456789".repeat(30_000), { deltaChars: 30 }));
    const host = await rig.startProcess();
    host.child.stdout.pause();
    host.send({ type: "prompt", message: "talk" });
    const request = await rig.server.waitForRequest(0);
    await request.finished;
    host.child.stdin.end();
    await new Promise((resolve) => host.child.on("exit", resolve));
    expect(host.child.exitCode).toBe(0);
  });

  it("a host that closes its reading end, or sends SIGTERM, ends the agent with its command", async () => {
    const deaf = await rig.startProcess();
    deaf.child.stdout.destroy();
    deaf.send({ type: "get_state" });
    await new Promise((resolve) => deaf.child.on("exit", resolve));
    expect(deaf.child.exitCode).toBe(130);
    rig.server.push(turn.calls([{ name: "shell", args: { command: "echo $$ > pid; exec sleep 60" } }]));
    const host = await rig.startProcess("--permission-mode", "full");
    host.send({ type: "prompt", message: "go" });
    await host.event("tool_execution_start");
    host.child.kill("SIGTERM");
    await new Promise((resolve) => host.child.on("exit", resolve));
    expect(host.child.exitCode).toBe(130);
  });
});
