// `lathe acp` as an editor uses it: the SDK's own client on the pipes of the command. Every message of both sides is checked against
// the protocol's schema.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { type ModelTurn, type Script, text, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { Editor, type EditorOptions, EVERYTHING } from "./acp-kit.ts";
import { MODEL, type Stage, stage } from "./contract-kit.ts";
import type { InsideCommand } from "./machine.ts";

let scene: Stage;
let editor: Editor<InsideCommand>;
afterEach(async () => {
  await editor.leave();
  await scene.close();
});

const file = (path: string): string => join(scene.box.dir, path);
const call = (name: string, args: object): ModelTurn => turn.calls([{ name, args: { ...args } }]);
const shell = (command: string): ModelTurn => call("shell", { command });
/** One pixel. */
const pixel = (data: string) => ({ type: "image", data, mimeType: "image/png" });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SERVER = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
const { terminal: _, ...FILES_ONLY } = EVERYTHING;

async function open(script: Script, options: EditorOptions = {}, args: readonly string[] = []) {
  scene = await stage(script);
  editor = new Editor(scene.box.open(["acp", ...scene.args, ...args], scene.env), options);
  return editor.initialize(options.capabilities);
}

const create = async (mcpServers: Parameters<typeof editor.create>[1] = []): Promise<string> =>
  (await editor.create(scene.box.dir, mcpServers)).sessionId;
/** The results of the model's calls, in order. */
const results = (): string[] => {
  const { messages } = scene.server.requests.at(-1)?.view ?? { messages: [] };
  return messages.flatMap((message) => message.results.map((result) => result.text));
};

describe("lathe acp", () => {
  it("G-17 answers a prompt: text, plan, usage, modes and options, slash commands, and the session in its list", async () => {
    const list = [{ phase: "Work", items: ["look", "write"] }];
    const { agentCapabilities } = await open([
      turn.blocks([text("I begin. "), { type: "call", name: "todo", args: { ops: [{ op: "init", list }] } }]),
      turn.text("It is done."),
    ]);
    expect(agentCapabilities?.sessionCapabilities).toHaveProperty("fork");
    const made = await editor.create(scene.box.dir);
    expect(made.modes?.currentModeId).toBe("auto-edit");
    expect(made.configOptions?.map(({ id }) => id)).toEqual(["mode", "model", "effort"]);
    const { stopReason, usage } = await editor.prompt(made.sessionId, "plan the work");
    expect(stopReason).toBe("end_turn");
    expect(usage?.totalTokens).toBeGreaterThan(0);
    expect(editor.text()).toBe("I begin. It is done.");
    expect(
      editor
        .of("plan")
        .at(-1)
        ?.entries.map(({ content, status }) => [content, status]),
    ).toEqual([
      ["look", "in_progress"],
      ["write", "pending"],
    ]);
    expect(editor.of("usage_update").at(-1)?.size).toBeGreaterThan(0);
    expect(
      editor
        .of("available_commands_update")
        .at(-1)
        ?.availableCommands.map(({ name }) => name),
    ).toContain("undo");
    const { sessions } = await editor.agentSide.request("session/list", { cwd: scene.box.dir });
    expect(sessions).toMatchObject([{ sessionId: made.sessionId, title: "plan the work" }]);
  });

  it("G-17 G-10 an editor without forms and notices: a gate's question and what /workflow says are text, a message answers, and a wrong answer is invalid", async () => {
    const ask = { op: "ask", question: "Which?", options: [{ label: "red" }, { label: "blue" }] };
    await open([call("interview", ask), turn.text("Well.")], { capabilities: {} });
    const id = await create();
    await editor.prompt(id, "/skill:deep-interview a wall");
    expect(editor.text()).toContain("Which?\n  1. red\n  2. blue");
    await editor.prompt(id, "/workflow");
    expect(editor.text()).toContain("Workflow deep-interview: asking\nIt waits for your answer:");
    // An answer that the question does not offer is not an internal error.
    await expect(editor.prompt(id, "9")).rejects.toMatchObject({ code: -32602 });
    await editor.prompt(id, "2");
    expect(scene.server.requests.at(-1)?.text).toContain("The user answered: blue");
  });

  it("MO-08 G-17 writes through the editor, where the disk stays as it is; the next read and edit work on the unsaved text", async () => {
    const script = [
      call("write_file", { file_path: "a.txt", content: "one\ntwo\n" }),
      call("read_file", { file_path: "b.txt" }),
      call("edit_file", { file_path: "b.txt", old_string: "typed", new_string: "edited" }),
      turn.text("done"),
    ];
    await open(script, { saves: false, capabilities: FILES_ONLY });
    writeFileSync(file("b.txt"), "saved\n");
    editor.buffers.set(file("b.txt"), "saved\ntyped\n");
    await editor.prompt(await create(), "write");
    expect(editor.written).toEqual([
      { path: file("a.txt"), content: "one\ntwo\n" },
      { path: file("b.txt"), content: "saved\nedited\n" },
    ]);
    expect(existsSync(file("a.txt"))).toBe(false);
    expect(readFileSync(file("b.txt"), "utf8")).toBe("saved\n");
    const ended = editor.of("tool_call_update").filter(({ status }) => status === "completed");
    expect(ended[0]).toMatchObject({
      kind: "edit",
      locations: [{ path: file("a.txt") }],
      content: [{ type: "diff", path: file("a.txt"), newText: "one\ntwo\n" }],
    });
    expect(ended.map(({ kind }) => kind)).toEqual(["edit", "read", "edit"]);
    expect(ended.at(-1)?.content).toMatchObject([{ oldText: "saved\ntyped\n", newText: "saved\nedited\n" }]);
  });

  it("MO-08 a file of which the editor only says that it has written it is not told to be written", async () => {
    const script = [call("write_file", { file_path: "new.txt", content: "one\n" }), turn.text("done")];
    await open(script, { take: () => {}, capabilities: FILES_ONLY });
    await editor.prompt(await create(), "write");
    expect(editor.written).toHaveLength(1);
    expect(results()[0]).toContain("neither it nor the disk has the new text");
    expect(existsSync(file("new.txt"))).toBe(false);
  });

  it("G-17 a request for permission has the call's kind, places and widths; reject gives the model a denial, cancel ends the prompt", async () => {
    const answers = ["reject", "cancelled"];
    await open(
      [shell("touch made"), shell("touch made"), turn.text("not reached")],
      {
        capabilities: FILES_ONLY,
        permission: () => answers.shift() ?? "once",
      },
      ["--permission-mode", "ask"],
    );
    const { stopReason } = await editor.prompt(await create(), "run it");
    expect(stopReason).toBe("cancelled");
    expect(editor.asked[0]?.toolCall).toMatchObject({ kind: "execute", rawInput: { command: "touch made" } });
    expect(editor.asked[0]?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "allow_always",
      "reject_once",
    ]);
    expect(results()[0]).toMatch(/denied|rejected/i);
    expect(existsSync(file("made"))).toBe(false);
  });

  it("G-17 commands run in the editor's terminal with the session's shell, and end with cancel", async () => {
    const bash = (command: string): ModelTurn => call("bash", { command });
    const script = [bash("mkdir sub; cd sub; export X=1"), bash('pwd; echo "x=$X"'), turn.text("done")];
    await open([...script, bash("echo $$; sleep 600"), turn.text("no")], {}, [
      "--profile",
      "lathe",
      "--permission-mode",
      "full",
    ]);
    const sessionId = await create();
    await editor.prompt(sessionId, "go");
    expect(results().at(-1)).toContain(`${file("sub")}\nx=1`);
    expect(
      editor
        .of("tool_call_update")
        .flatMap(({ content }) => content ?? [])
        .filter(({ type }) => type === "terminal"),
    ).not.toEqual([]);
    const asleep = editor.prompt(sessionId, "sleep");
    const terminal = await editor.nthTerminal(3);
    await terminal.prints(/\d/);
    await editor.agentSide.notify("session/cancel", { sessionId });
    expect((await asleep).stopReason).toBe("cancelled");
    expect((await terminal.exited).signal).toBe("SIGKILL");
    expect(await editor.releases(3)).toEqual(["t1", "t2", "t3"]);
  });

  it("G-17 sessions are closed, loaded with their transcript, resumed, forked and deleted; bad input is an error and loses none", async () => {
    await open([
      call("write_file", { file_path: "a.txt", content: "one\n" }),
      turn.text("written"),
      turn.text("more"),
      turn.text("in the copy"),
    ]);
    const { dir: cwd } = scene.box;
    const sessionId = await create();
    await editor.prompt(sessionId, "write a file");
    const place = { sessionId, cwd, mcpServers: [] };
    await editor.agentSide.request("session/close", { sessionId });
    await expect(editor.prompt(sessionId, "more")).rejects.toThrow("is not open here");
    editor.updates.length = 0;
    await editor.agentSide.request("session/load", place);
    expect(editor.updates.map(({ update }) => update.sessionUpdate).slice(0, 3)).toEqual([
      "user_message_chunk",
      "tool_call",
      "agent_message_chunk",
    ]);
    expect(editor.of("tool_call")[0]).toMatchObject({
      status: "completed",
      content: [{ type: "diff", newText: "one\n" }],
    });
    const answer = await editor.prompt(sessionId, "more");
    expect(answer.stopReason).toBe("end_turn");
    const copy = await editor.agentSide.request("session/fork", { sessionId, cwd, mcpServers: [] });
    expect(copy.sessionId).not.toBe(sessionId);
    editor.updates.length = 0;
    await editor.prompt(copy.sessionId, "and here");
    expect(editor.updates.every((one) => one.sessionId === copy.sessionId)).toBe(true);

    const bad: readonly [string, object, number, RegExp][] = [
      ["session/new", { cwd: "relative", mcpServers: [] }, -32602, /absolute/],
      ["session/new", { cwd: join(cwd, "missing"), mcpServers: [] }, -32602, /missing/],
      ["session/load", { ...place, sessionId: "nobody" }, -32002, /no session nobody/],
      ["session/load", { ...place, sessionId: 7 }, -32602, /./],
      ["session/prompt", { sessionId, prompt: [] }, -32602, /empty/],
      ["session/prompt", { sessionId, prompt: [{ type: "audio", data: "", mimeType: "audio/wav" }] }, -32602, /audio/],
      [
        "session/prompt",
        { sessionId, prompt: [{ type: "text", text: "/nonsense" }] },
        -32602,
        /^There is no \/nonsense\. There are \/agents, \/compact, /,
      ],
      ["session/prompt", { sessionId, prompt: [{ type: "text", text: "/undoo" }] }, -32602, /Did you mean \/undo\?/],
      ["session/prompt", { sessionId, prompt: [pixel(`${PIXEL.slice(0, 20)}*${PIXEL.slice(20)}`)] }, -32602, /base64/],
      ["session/prompt", { sessionId, prompt: [pixel(`data:image/png;base64,${PIXEL}`)] }, -32602, /base64/],
      ["authenticate", { methodId: "none" }, -32602, /Unknown sign-in method "none"/],
      ["session/set_mode", { sessionId, modeId: "yolo" }, -32602, /no mode/],
      ["session/set_config_option", { sessionId, configId: "model", value: "none/none" }, -32602, /no value/],
      ["session/nonsense", {}, -32601, /./],
    ];
    for (const [method, params, code, message] of bad)
      await expect(editor.raw(method, params), method).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    await editor.agentSide.request("session/set_mode", { sessionId, modeId: "read-only" });
    expect(editor.of("current_mode_update")).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "read-only" },
    ]);
    editor.agent.stdin.write("no json\n");
    await editor.agentSide.request("session/delete", { sessionId });
    await expect(editor.agentSide.request("session/load", place)).rejects.toMatchObject({ code: -32002 });
    const { sessions } = await editor.agentSide.request("session/list", {});
    expect(sessions.map((session) => session.sessionId)).toEqual([copy.sessionId]);
  });

  it("G-17 session/resume goes on with a session, without its transcript and with all that was said", async () => {
    await open([turn.text("The word is fern."), turn.text("It was fern.")]);
    const { dir: cwd } = scene.box;
    const sessionId = await create();
    await editor.prompt(sessionId, "say a word");
    await editor.agentSide.request("session/close", { sessionId });
    editor.updates.length = 0;
    const { modes } = await editor.agentSide.request("session/resume", { sessionId, cwd });
    expect(modes?.currentModeId).toBe("auto-edit");
    expect((await editor.prompt(sessionId, "which one?")).stopReason).toBe("end_turn");
    expect(editor.text()).toBe("It was fern.");
    expect(editor.of("user_message_chunk")).toEqual([]);
    const said = scene.server.requests.at(-1)?.view.messages.map((message) => message.text);
    expect(said).toEqual(["say a word", "The word is fern.", "which one?"].map((one) => expect.stringContaining(one)));
  });

  it("MO-08 with the tool set lathe: a file that was written through the editor is read with its hashline header, which an edit can use; no language server starts before a file needs it", async () => {
    const started = (): boolean => existsSync(join(scene.box.home, "started"));
    const edit = (): ModelTurn =>
      call("edit", { input: `${/¶a\.xyz#\w{4}/.exec(results()[1] ?? "")}\nreplace 2..2:\n+TWO\n` });
    const steps = [
      () => turn.text("Hello."),
      () => call("write", { path: "a.xyz", content: "one\ntwo\n" }),
      () => call("read", { path: "a.xyz" }),
      edit,
      () => call("lsp", { action: "hover", file: "project.xyz", line: 1, symbol: "one" }),
      () => turn.text("done"),
    ];
    await open(() => steps.shift()?.(), { saves: false, capabilities: FILES_ONLY }, ["--profile", "lathe"]);
    const command = `touch '${join(scene.box.home, "started")}'; exec '${process.execPath}' '${SERVER}' plain`;
    const xyz = { command: "/bin/sh", args: ["-c", command], fileTypes: [".xyz"], rootMarkers: ["project.xyz"] };
    writeFileSync(file("lsp.json"), JSON.stringify({ servers: { xyz } }));
    writeFileSync(file("project.xyz"), "one\n");
    await scene.box.run(["trust"]);
    const sessionId = await create();
    await editor.prompt(sessionId, "hello");
    expect(started()).toBe(false);
    await editor.prompt(sessionId, "write");
    expect(results()[1]).toMatch(/¶a\.xyz#\w{4}\n1:one\n2:two/);
    expect(editor.written.map(({ content }) => content)).toEqual(["one\ntwo\n", "one\nTWO\n"]);
    expect(existsSync(file("a.xyz"))).toBe(false);
    expect(started()).toBe(true);
  });

  it("G-17 /undo covers the disk and names what the editor still holds", async () => {
    await open([call("write_file", { file_path: "a.txt", content: "two\n" }), turn.text("done")], {
      capabilities: FILES_ONLY,
    });
    writeFileSync(file("a.txt"), "one\n");
    const sessionId = await create();
    await editor.prompt(sessionId, "write");
    expect(readFileSync(file("a.txt"), "utf8")).toBe("two\n");
    editor.buffers.set(file("a.txt"), "two\nand typed\n");
    editor.updates.length = 0;
    await editor.prompt(sessionId, "/undo");
    expect(readFileSync(file("a.txt"), "utf8")).toBe("one\n");
    expect(editor.text()).toContain("The editor's text differs from the disk: a.txt.");
  });

  it("G-17 uses the client's MCP servers, and none that is on the disk", async () => {
    const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
    await open([call("mcp__everything__echo", { message: "hello" }), turn.text("done")], { permission: () => "once" });
    mkdirSync(file(".mcp"), { recursive: true });
    writeFileSync(
      file(".mcp.json"),
      JSON.stringify({ mcpServers: { other: { command: "touch", args: [file("started")] } } }),
    );
    const env = [{ name: "LITERAL", value: "!touch ran" }];
    const sessionId = await create([{ name: "everything", command: process.execPath, args: [everything], env }]);
    await editor.prompt(sessionId, "echo");
    expect(results()[0]).toContain("Echo: hello");
    expect(existsSync(file("started"))).toBe(false);
    expect(existsSync(file("ran"))).toBe(false);
    rmSync(file(".mcp.json"));
  });

  it("G-17 questions are forms; without a credential the client is told to authenticate", async () => {
    const questions = [{ id: "colour", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }];
    await open([call("ask_user", { questions }), turn.text("done")], {
      elicitation: () => ({ action: "accept", content: { colour: "blue" } }),
    });
    await editor.prompt(await create(), "ask me");
    expect(results()[0]).toContain("blue");
    await editor.leave();
    editor = new Editor(scene.box.open(["acp", "--model", MODEL]));
    const { authMethods } = await editor.initialize({ auth: { terminal: true } });
    expect(authMethods?.map((method) => "type" in method && method.args)).toEqual([false, ["login"]]);
    await expect(create()).rejects.toMatchObject({ code: -32000, message: expect.stringContaining("lathe login") });
    const methodId = authMethods?.[0]?.id ?? "";
    await expect(editor.agentSide.request("authenticate", { methodId })).rejects.toMatchObject({ code: -32000 });
  });

  it("G-17 pictures, embedded files and links reach the model, beside each other and in several sessions at once", async () => {
    await open([turn.text("seen"), turn.text("seen, too")]);
    const [one, two] = [await create(), await create()];
    const uri = pathToFileURL(file("notes.md")).href;
    const prompt = [
      { type: "text", text: "look at " },
      { type: "resource_link", uri, name: "notes.md" },
      { type: "resource", resource: { uri, text: "unsaved notes", mimeType: "text/markdown" } },
      { type: "image", data: PIXEL, mimeType: "image/png" },
    ] satisfies ContentBlock[];
    await editor.agentSide.request("session/prompt", { sessionId: one, prompt });
    await editor.agentSide.request("session/prompt", { sessionId: two, prompt: [{ type: "text", text: "only this" }] });
    const [first, second] = scene.server.requests.map(({ view }) =>
      view.messages.findLast(({ role }) => role === "user"),
    );
    expect(first).toMatchObject({ images: 1, text: expect.stringContaining("unsaved notes") });
    expect(first?.text).toContain(`look at  ${file("notes.md")}`);
    expect(second?.text).toContain("only this");
    expect(second?.text).not.toContain("unsaved notes");
  });
});
