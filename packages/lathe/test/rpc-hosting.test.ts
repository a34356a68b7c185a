import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Frame, type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const echo = {
  name: "echo_host",
  label: "Echo",
  description: "Says it again.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  tier: "read",
};
const callsEcho = () => turn.calls([{ name: "echo_host", id: "e", args: { text: "hello" } }]);
const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const hostCall = (host: RpcHost): Promise<Frame> => host.wait("the host call", ({ type }) => type === "host_tool_call");

describe("RPC: host tools", () => {
  it("G-07 the host runs the tool; update and result reach the events and the model", async () => {
    rig.server.push(callsEcho(), turn.text("it said hello"));
    const host = await rig.start();
    expect(await host.data("set_host_tools", { tools: [echo] })).toEqual({ toolNames: ["echo_host"] });
    host.send({ type: "prompt", message: "echo" });
    const call = await hostCall(host);
    expect(call).toMatchObject({
      toolCallId: expect.stringMatching(/^e/),
      toolName: "echo_host",
      arguments: { text: "hello" },
    });
    host.send({ type: "host_tool_update", id: call["id"], partialResult: text("he") });
    expect(await host.event("tool_execution_update")).toMatchObject({ delta: "he" });
    host.send({ type: "host_tool_result", id: call["id"], result: text("hello, hello") });
    await host.event("agent_end");
    expect(rig.server.requests[0]?.view.tools).toContain("echo_host");
    expect(rig.server.requests[1]?.result("e")).toBe("hello, hello");
    expect(await host.finish()).toBe(0);
  });

  it("G-07 abort cancels the call at the host, and its late answer changes nothing", async () => {
    rig.server.push(callsEcho(), turn.text("again"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [echo] });
    host.send({ type: "prompt", message: "echo" });
    const call = await hostCall(host);
    host.send({ type: "abort" });
    expect(await host.wait("the cancel", ({ type }) => type === "host_tool_cancel")).toMatchObject({
      targetId: call["id"],
    });
    await host.event("agent_end");
    host.send({ type: "host_tool_result", id: call["id"], result: text("too late") });
    await host.prompt("and now");
    expect(JSON.stringify(rig.server.requests[1]?.body)).not.toContain("too late");
    expect(await host.finish()).toBe(0);
  });

  it("G-07 isError makes an error result; sets are replaced whole", async () => {
    rig.server.push(callsEcho(), turn.text("pity"), turn.text("gone"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [echo] });
    host.send({ type: "prompt", message: "echo" });
    const call = await hostCall(host);
    host.send({ type: "host_tool_result", id: call["id"], result: text("no echo here"), isError: true });
    expect(await host.event("tool_execution_end")).toMatchObject({ isError: true });
    await host.event("agent_end");
    expect(rig.server.requests[1]?.result("e")).toContain("no echo here");
    expect(await host.data("set_host_tools", { tools: [] })).toEqual({ toolNames: [] });
    await host.prompt("what now");
    expect(rig.server.requests[2]?.view.tools).not.toContain("echo_host");
    expect(await host.finish()).toBe(0);
  });

  it("G-07 a result that is not valid is an error reply and a failed call; nothing waits for another", async () => {
    const results = [{ result: { content: "text" } }, { result: 5 }, {}];
    rig.server.push(...results.map(callsEcho), turn.text("pity"));
    const host = await rig.start();
    await host.data("set_host_tools", { tools: [echo] });
    host.send({ type: "prompt", message: "echo" });
    let from = 0;
    for (const result of results) {
      const call = await host.wait("a call", ({ type }) => type === "host_tool_call", from);
      from = host.frames.indexOf(call) + 1;
      host.send({ type: "host_tool_result", id: call["id"], ...result });
    }
    await host.event("agent_end");
    const errors = host.frames.flatMap(({ command, error }) => (command === "host_tool_result" ? [error] : []));
    expect(errors).toEqual([
      'result.content must be a list, not "text".',
      "result must be an object, not 5.",
      "result is missing.",
    ]);
    expect(rig.server.requests[1]?.result("e")).toContain(`The host's answer was not valid: ${errors[0]}`);
    expect(await host.finish()).toBe(0);
  });

  it("G-07 a tool that cannot be offered is left out and named; the others are offered", async () => {
    rig.server.push(turn.text("fine"));
    const host = await rig.start();
    const bad = [{ ...echo, name: "shell" }, { ...echo, name: "bare", parameters: {} }, { ...echo, name: "a b" }, echo];
    expect(await host.data("set_host_tools", { tools: [echo, ...bad, { ...echo, name: "last" }] })).toEqual({
      toolNames: ["echo_host", "last"],
      refused: [
        { name: "shell", reason: "the agent already has a tool with that name; choose another" },
        { name: "bare", reason: 'the schema of tool bare must have the root type "object"' },
        { name: "a b", reason: expect.stringContaining("is not allowed") },
        { name: "echo_host", reason: "an earlier tool of this list has the same name" },
      ],
    });
    await host.prompt("hello");
    expect(rig.server.requests[0]?.view.tools).toEqual(expect.arrayContaining(["echo_host", "last"]));
    expect(await host.finish()).toBe(0);
  });
});

describe("RPC: addresses of the host", () => {
  it("G-08 the model reads and writes db://, then no longer, and a read-only scheme refuses writes", async () => {
    const read = (id: string, path = "db://users/42") => ({ name: "read_file", id, args: { file_path: path } });
    const write = (id: string) => ({
      name: "write_file",
      id,
      args: { file_path: "db://users/42", content: "name: B\n" },
    });
    rig.server.push(turn.calls([read("r")]), turn.calls([write("w")]), turn.text("done"));
    const host = await rig.start();
    const allowNext = async (seen: number): Promise<void> => {
      const isDialog = ({ type }: Frame): boolean => type === "extension_ui_request";
      await host.wait("the question", () => host.frames.filter(isDialog).length > seen);
      host.send({ type: "extension_ui_response", id: host.frames.filter(isDialog)[seen]?.["id"], confirmed: true });
    };
    const schemes = [{ scheme: "DB", description: "our users", writable: true, immutable: false }];
    expect(await host.data("set_host_uri_schemes", { schemes })).toEqual({ schemes: ["db"] });
    host.send({ type: "prompt", message: "rename user 42" });
    const isRequest = ({ type }: Frame): boolean => type === "host_uri_request";
    const first = await host.wait("the read", isRequest);
    expect(first).toMatchObject({ operation: "read", url: "db://users/42" });
    host.send({ type: "host_uri_result", id: first["id"], content: "name: A\n", contentType: "text/yaml" });
    await allowNext(0);
    const second = await host.wait("the write", (frame) => isRequest(frame) && frame["operation"] === "write");
    expect(second).toMatchObject({ url: "db://users/42", content: "name: B\n" });
    host.send({ type: "host_uri_result", id: second["id"] });
    await host.event("agent_end");
    expect(JSON.stringify(rig.server.requests[0]?.body)).toContain("our users");
    expect(rig.server.requests[1]?.result("r")).toContain("name: A");
    expect(rig.server.requests[2]?.result("w")).toContain("Wrote db://users/42");

    await host.data("set_host_uri_schemes", { schemes: [{ scheme: "db" }] });
    rig.server.push(turn.calls([write("w2")]), turn.text("done"));
    const again = host.prompt("again");
    await allowNext(1);
    await again;
    expect(rig.server.requests[4]?.result("w2")).toContain("read only");
    await host.data("set_host_uri_schemes", { schemes: [] });
    rig.server.push(turn.calls([read("r2")]), turn.text("done"));
    await host.prompt("again");
    expect(rig.server.requests[6]?.result("r2")).toContain("Nothing here opens db:// addresses");
    expect(host.frames.filter(isRequest)).toHaveLength(2);
    for (const scheme of ["artifact", "no scheme"]) {
      expect((await host.ask("set_host_uri_schemes", { schemes: [{ scheme }] }))["success"]).toBe(false);
    }
    expect(await host.finish()).toBe(0);
  });

  it("G-08 a refusal of the host is a tool error; abort cancels the request", async () => {
    const read = { name: "read_file", id: "r", args: { file_path: "db://x" } };
    rig.server.push(turn.calls([read]), turn.text("pity"), turn.calls([read]));
    const host = await rig.start();
    await host.data("set_host_uri_schemes", { schemes: [{ scheme: "db" }] });
    host.send({ type: "prompt", message: "read" });
    const request = await host.wait("the read", ({ type }) => type === "host_uri_request");
    host.send({ type: "host_uri_result", id: request["id"], isError: true, error: "no such row" });
    await host.event("agent_end");
    expect(rig.server.requests[1]?.result("r")).toContain("no such row");
    const from = host.frames.length;
    host.send({ type: "prompt", message: "read" });
    const next = await host.wait("the read", ({ type }) => type === "host_uri_request", from);
    host.send({ type: "abort" });
    const cancel = await host.wait("the cancel", ({ type }) => type === "host_uri_cancel");
    expect(cancel["targetId"]).toBe(next["id"]);
    expect(await host.finish()).toBe(0);
  });
});

describe("RPC: dialogs", () => {
  const dialog = (host: RpcHost, method: string, from = 0): Promise<Frame> =>
    host.wait(method, (frame) => frame.type === "extension_ui_request" && frame["method"] === method, from);
  const shell = (id: string, command: string) => turn.calls([{ name: "shell", id, args: { command } }]);

  it("G-09 MO-06 an approval is a confirm dialog: true runs the call, false blocks it with the person's words", async () => {
    rig.server.push(shell("y", "X=1 env echo yes > y"), shell("n", "X=1 env echo no > n"), turn.text("done"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const first = await dialog(host, "confirm");
    expect(first).toMatchObject({
      toolCallId: expect.stringMatching(/^y/),
      toolName: "shell",
      arguments: { command: "X=1 env echo yes > y" },
    });
    host.send({ type: "extension_ui_response", id: "ui_wrong", confirmed: false });
    host.send({ type: "extension_ui_response", id: first["id"], confirmed: true });
    const second = await host.wait(
      "the second",
      (frame) => /^n/.test(String(frame["toolCallId"])) && "method" in frame,
    );
    host.send({ type: "extension_ui_response", id: second["id"], confirmed: false, value: "use touch" });
    await host.event("agent_end");
    expect(await readFile(join(rig.box.dir, "y"), "utf8")).toBe("yes\n");
    await expect(readFile(join(rig.box.dir, "n"))).rejects.toThrow("ENOENT");
    expect(rig.server.requests[2]?.result("n")).toContain("use touch");
    expect(host.events().filter(({ type }) => type === "lathe:approval_settled")).toMatchObject([
      { toolCallId: expect.stringMatching(/^y/), decision: "allow", by: "host" },
      { toolCallId: expect.stringMatching(/^n/), decision: "deny", by: "host" },
    ]);
    expect(await host.finish()).toBe(0);
  });

  it("G-09 abort takes an open dialog away; a cancelled one denies", async () => {
    rig.server.push(shell("a", "X=1 env true"), shell("b", "X=1 env true"), turn.text("done"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const first = await dialog(host, "confirm");
    host.send({ type: "abort" });
    expect(await dialog(host, "cancel")).toMatchObject({ targetId: first["id"] });
    await host.event("agent_end");
    const from = host.frames.length;
    host.send({ type: "prompt", message: "go" });
    const second = await dialog(host, "confirm", from);
    host.send({ type: "extension_ui_response", id: second["id"], cancelled: true });
    await host.event("agent_end", from);
    expect(rig.server.requests[2]?.result("b")).toContain("Denied by host");
    expect(await host.finish()).toBe(0);
  });

  it("G-09 an answer that is not valid is an error reply, and denies the call", async () => {
    const answers = [{ confirmed: 1 }, { confirmed: null }, { confirmed: true, remember: "everything" }, {}];
    rig.server.push(...answers.map((_answer, n) => shell(`c${n}`, "X=1 env echo yes > y")), turn.text("done"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    let from = 0;
    for (const answer of answers) {
      const question = await dialog(host, "confirm", from);
      from = host.frames.indexOf(question) + 1;
      host.send({ type: "extension_ui_response", id: question["id"], ...answer });
    }
    await host.event("agent_end");
    await expect(readFile(join(rig.box.dir, "y"))).rejects.toThrow("ENOENT");
    const errors = host.frames.flatMap(({ command, error }) => (command === "extension_ui_response" ? [error] : []));
    expect(errors).toEqual([
      expect.stringContaining("confirmed"),
      expect.stringContaining("confirmed"),
      expect.stringContaining("remember"),
    ]);
    const settled = host.events().filter(({ type }) => type === "lathe:approval_settled");
    expect(settled.map(({ decision }) => decision)).toEqual(answers.map(() => "deny"));
    expect(await host.finish()).toBe(0);
  });

  it("LS-10 an answer with a width is remembered: the same pattern is not asked about again, in a later session either", async () => {
    rig.server.push(shell("a", "node --test one"), shell("b", "node --test two"), turn.text("done"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const first = await dialog(host, "confirm");
    expect(first["remember"]).toEqual([
      {
        width: "pattern",
        rules: ["shell(node --test one *)"],
        label: "Yes, and don't ask again for `node --test one *` in this project (30 days)",
      },
      {
        width: "tool",
        rules: ["shell"],
        label: "Yes, and allow all shell commands in this project for this session",
      },
    ]);
    host.send({ type: "extension_ui_response", id: first["id"], confirmed: true, remember: "tool" });
    await host.event("agent_end");
    expect(host.frames.filter((frame) => frame["method"] === "confirm")).toHaveLength(1);
    expect(await host.finish()).toBe(0);
    rig.server.push(shell("c", "node --test three"), turn.text("done"));
    rig.server.push(shell("d", "node --test three"), turn.text("done"));
    const second = await rig.start();
    second.send({ type: "prompt", message: "go" });
    const asked = await dialog(second, "confirm");
    second.send({ type: "extension_ui_response", id: asked["id"], confirmed: true, remember: "pattern" });
    await second.event("agent_end");
    expect(await second.finish()).toBe(0);
    const third = await rig.start();
    await third.prompt("again");
    expect(third.frames.filter((frame) => frame["method"] === "confirm")).toEqual([]);
    expect(await third.finish()).toBe(0);
  });

  it("MO-06 questions of the model are select and input dialogs", async () => {
    const questions = [
      { id: "db", question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }], recommended: 0 },
      { id: "name", question: "What name?", options: [] },
    ];
    rig.server.push(turn.calls([{ name: "ask_user", id: "q", args: { questions } }]), turn.text("thanks"));
    const host = await rig.start();
    host.send({ type: "prompt", message: "go" });
    const select = await dialog(host, "select");
    expect(select).toMatchObject({ title: "Which database?", options: ["SQLite", "Postgres"], recommended: 0 });
    host.send({ type: "extension_ui_response", id: select["id"], value: "Postgres" });
    const input = await dialog(host, "input");
    host.send({ type: "extension_ui_response", id: input["id"], value: "shop" });
    await host.event("agent_end");
    const said = rig.server.requests[1]?.result("q");
    expect(said).toContain("db: User selected: Postgres");
    expect(said).toContain("name: User provided custom input: shop");
    expect(await host.finish()).toBe(0);
  });

  it("MO-06 a plan is confirmed by the host, which ends plan mode", async () => {
    await writeFile(join(rig.box.dir, "a.txt"), "a\n");
    const plan = (id: string) => turn.calls([{ name: "exit_plan_mode", id, args: { plan: "1. change a.txt" } }]);
    rig.server.push(plan("p1"), plan("p2"), turn.text("done"));
    const host = await rig.start("--permission-mode", "plan");
    host.send({ type: "prompt", message: "go" });
    const first = await dialog(host, "confirm");
    expect(first).toMatchObject({ message: "1. change a.txt" });
    host.send({ type: "extension_ui_response", id: first["id"], confirmed: false, value: "Add a test." });
    const second = await host.wait("the second plan", (frame) => frame["method"] === "confirm" && frame !== first);
    host.send({ type: "extension_ui_response", id: second["id"], confirmed: true });
    await host.event("agent_end");
    expect(rig.server.requests[1]?.result("p1")).toContain("Add a test.");
    expect(rig.server.requests[2]?.result("p2")).toContain("approved");
    expect(await host.data("get_state")).toMatchObject({ permissionMode: "auto-edit" });
    expect(await host.finish()).toBe(0);
  });
});
