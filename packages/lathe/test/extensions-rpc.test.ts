// Extensions of an agent under RPC: dialogs as frames, commands as prompts, hooks on the session's tree.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { type Frame, type RpcHost, type Setup, setup } from "./rpc-host.ts";

let at: Setup;
beforeEach(async () => {
  at = await setup({ script: () => turn.text("done") });
});
afterEach(() => at.remove());

async function extension(name: string, text: string): Promise<void> {
  const file = join(at.box.env["LATHE_HOME"]!, "extensions", `${name}.ts`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const dialog = (host: RpcHost, method: string, from = 0): Promise<Frame> =>
  host.wait(method, (frame) => frame.type === "extension_ui_request" && frame["method"] === method, from);

const contentOf = async (file: string): Promise<string> => {
  await until(() => existsSync(file));
  return readFile(file, "utf8");
};

describe("dialogs", () => {
  it("MO-06 confirm in a tool_call handler: the question is on stdout, and no blocks the call", async () => {
    await extension(
      "gate",
      `export default (lathe) => lathe.on("tool_call", async (event, context) =>
        (await context.ui.confirm("Run it?", event.summary)) ? undefined : { block: true, reason: "The person said no." });`,
    );
    at.server.push(turn.calls([{ name: "shell", args: { command: "touch made" }, id: "call_1" }]));
    const host = await at.start("--permission-mode", "full");
    host.send({ type: "prompt", message: "go" });
    const asked = await dialog(host, "confirm");
    expect(asked).toMatchObject({ title: "Run it?", message: expect.stringContaining("touch made") });
    host.send({ type: "extension_ui_response", id: asked["id"], confirmed: false });
    await host.event("agent_end");
    expect(at.server.requests.at(-1)?.result("call_1")).toContain("The person said no.");
    expect(existsSync(join(at.box.dir, "made"))).toBe(false);
    expect(await host.finish()).toBe(0);
  });

  it("G-09 a command that confirms: yes is true, silence is the default after its time, an answer to something else is ignored", async () => {
    const file = (name: string): string => join(at.box.dir, name);
    await extension(
      "ask",
      `import { writeFileSync } from "node:fs";
       export default (lathe) => lathe.registerCommand("ask", { description: "asks", run: async (words, { ui }) => {
         const begun = Date.now();
         const [name, timeout] = words.split(" ");
         const yes = await ui.confirm("Sure?", "", { timeout: Number(timeout) });
         writeFileSync(name, yes + " " + (yes || Date.now() - begun >= 500));
       } });`,
    );
    const host = await at.start();
    host.send({ type: "prompt", message: `/ask ${file("answered")} 60000` });
    const first = await dialog(host, "confirm");
    expect(first).toMatchObject({ title: "Sure?", timeout: 60_000 });
    host.send({ type: "extension_ui_response", id: "another", confirmed: false });
    host.send({ type: "extension_ui_response", id: first["id"], confirmed: true });
    expect(await contentOf(file("answered"))).toBe("true true");
    host.send({ type: "prompt", message: `/ask ${file("silent")} 500` });
    const second = await dialog(host, "confirm", host.frames.length);
    host.send({ type: "extension_ui_response", id: first["id"], confirmed: true });
    expect(await contentOf(file("silent"))).toBe("false true");
    await host.wait("cancel", (frame) => frame["method"] === "cancel" && frame["targetId"] === second["id"]);
    expect(at.server.requests).toHaveLength(0);
    expect(await host.finish()).toBe(0);
  });

  it("G-09 every other method has its frame", async () => {
    await extension(
      "all",
      `export default (lathe) => lathe.registerCommand("all", { description: "shows all", run: async (_, { ui }) => {
         ui.setStatus("a", "busy"); ui.setStatus("a", undefined); ui.setWidget("w", ["one", { text: "two" }]); ui.setTitle("T"); ui.setEditorText("E");
         const chosen = await ui.select("Which?", ["x", "y"]);
         const typed = await ui.input("Name?", "your name");
         const edited = await ui.editor("Text?", "a\\nb");
         ui.notify([chosen, typed, edited].join("|"), "warning");
         return "send this to the model";
       } });`,
    );
    const host = await at.start();
    host.send({ type: "prompt", message: "/all" });
    for (const [method, value] of [
      ["select", "y"],
      ["input", "me"],
      ["editor", "a\nc"],
    ] as const)
      host.send({ type: "extension_ui_response", id: (await dialog(host, method))["id"], value });
    await host.event("agent_end");
    const shown = host.frames
      .filter(({ type }) => type === "extension_ui_request")
      .map(({ id: _, type: __, ...rest }) => rest);
    expect(shown).toMatchObject([
      { method: "setStatus", statusKey: "a", statusText: "busy" },
      { method: "setStatus", statusKey: "a" },
      { method: "setWidget", widgetKey: "w", widgetLines: ["one", "two"] },
      { method: "setTitle", title: "T" },
      { method: "set_editor_text", text: "E" },
      { method: "select", title: "Which?", options: ["x", "y"] },
      { method: "input", title: "Name?", placeholder: "your name" },
      { method: "editor", title: "Text?", prefill: "a\nb" },
      { method: "notify", message: "y|me|a\nc", notifyType: "warning" },
    ]);
    expect(at.server.requests[0]?.view.messages.at(-1)?.text).toContain("send this to the model");
    expect(await host.finish()).toBe(0);
  });

  it("EX-07 a command that throws is reported and asks no model; nor does an unknown one", async () => {
    await extension(
      "bad",
      `export default (lathe) => lathe.registerCommand("bad", { description: "fails", run: () => { throw new Error("out of order"); } });`,
    );
    const host = await at.start();
    host.send({ type: "prompt", message: "/bad" });
    expect(await dialog(host, "notify")).toMatchObject({
      message: "The extension bad failed in /bad: out of order",
    });
    expect(at.server.requests).toHaveLength(0);
    host.send({ type: "prompt", message: "/nope" });
    const refused = await host.wait("a refusal", ({ type, success }) => type === "response" && success === false);
    expect(refused["error"]).toContain("There is no /nope.");
    expect(at.server.requests).toHaveLength(0);
    expect(await host.finish()).toBe(0);
  });

  it("MO-05 a shutdown that an extension asks for ends the process after session_shutdown", async () => {
    const told = join(at.box.dir, "told");
    await extension(
      "leaver",
      `import { writeFileSync } from "node:fs";
       export default (lathe) => {
         lathe.on("session_shutdown", ({ reason }) => writeFileSync(${JSON.stringify(told)}, reason));
         lathe.registerCommand("bye", { description: "leaves", run: (_, context) => { context.shutdown(); } });
       };`,
    );
    const host = await at.startProcess();
    const closed = new Promise((resolve) => host.child.once("close", resolve));
    host.send({ type: "prompt", message: "/bye" });
    expect(await closed).toBe(0);
    expect(await readFile(told, "utf8")).toBe("exit");
  });
});

describe("hooks around the session", () => {
  const GO = `lathe.registerCommand("go", { description: "goes back", run: async (_, context) => {
    const first = context.session.messages().find(({ role }) => role === "user");
    context.ui.notify("went " + await context.navigateTree(first.id, { summarize: true }));
  } });`;
  const went = (host: RpcHost): Promise<Frame> =>
    host.wait("went", (frame) => String(frame["message"]).startsWith("went "));
  const walk = async (hook: string): Promise<{ host: RpcHost; before: string; after: string; requests: number }> => {
    await extension(
      "tree",
      `export default (lathe) => { ${GO} lathe.on("session_before_tree", (event) => (${hook}));
         lathe.on("session_tree", ({ summaryEntryId }, { ui }) => ui.notify("tree " + summaryEntryId)); };`,
    );
    const host = await at.start();
    await host.prompt("one");
    await host.prompt("two");
    const { sessionFile } = await host.data<{ sessionFile: string }>("get_state");
    const before = await readFile(sessionFile, "utf8");
    const requests = at.server.requests.length;
    host.send({ type: "prompt", message: "/go" });
    await went(host);
    return { host, before, after: await readFile(sessionFile, "utf8"), requests: at.server.requests.length - requests };
  };

  it("G-34 a tree move that an extension cancels leaves file and leaf as they were", async () => {
    const { host, before, after } = await walk("{ cancel: 'stay here' }");
    expect(await went(host)).toMatchObject({ message: "went false" });
    expect(after).toBe(before);
    expect(await host.finish()).toBe(0);
  });

  it("G-31 G-34 a summary of an extension's own: no model is asked, and the entry says where it came from", async () => {
    const { host, after, requests } = await walk(
      "{ summary: event.entriesToSummarize.length > 0 ? 'my notes' : 'none' }",
    );
    expect(await went(host)).toMatchObject({ message: "went true" });
    expect(requests).toBe(0);
    const entries = after
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const summary = entries.find(({ type }) => type === "branch_summary");
    expect(summary).toMatchObject({ summary: "my notes", fromExtension: true });
    expect(host.frames.map((frame) => frame["message"])).toContain(`tree ${summary.id}`);
    expect(await host.finish()).toBe(0);
  });

  it("G-34 new session, switch and branch are announced, and can be refused", async () => {
    await extension(
      "watch",
      `let refuse = false;
       export default (lathe) => {
         const say = (name) => (event, context) => { context.ui.notify(name + " " + JSON.stringify({ ...event, type: undefined, sessionFile: !!event.sessionFile, previousSessionFile: !!event.previousSessionFile, entryId: !!event.entryId })); return refuse && name.includes("before") ? { cancel: true } : undefined; };
         for (const name of ["session_before_switch", "session_switch", "session_before_branch", "session_branch"]) lathe.on(name, say(name));
         lathe.registerCommand("refuse", { description: "refuses from now on", run: (_, { ui }) => { refuse = true; ui.notify("refusing"); } });
       };`,
    );
    const notes = (host: RpcHost): unknown[] =>
      host.frames
        .filter((frame) => frame["method"] === "notify")
        .map((frame) => String(frame["message"]).split(" ")[0]);
    const host = await at.start();
    await host.prompt("one");
    expect(await host.data("new_session")).toMatchObject({ cancelled: false });
    await dialog(host, "notify");
    host.send({ type: "prompt", message: "/refuse" });
    await host.wait("refusing", (frame) => frame["message"] === "refusing");
    expect(await host.data("new_session")).toMatchObject({ cancelled: true });
    expect(notes(host)).toEqual(["session_before_switch", "session_switch", "refusing", "session_before_switch"]);
    expect(await host.finish()).toBe(0);
  });

  const compacted = async (handlers: string) => {
    await extension("notes", `export default (lathe) => { ${handlers} };`);
    const notes = "## Goal\nAll of it.\n\n## Done\nSome.\n\n## Next steps\nThe rest.";
    at.server.push(turn.text("first ".repeat(3000)), turn.text("second ".repeat(3000)), turn.text(notes));
    const host = await at.start();
    await host.prompt("one");
    await host.prompt("two");
    const { sessionFile } = await host.data<{ sessionFile: string }>("get_state");
    const reply = await host.ask("compact");
    expect(await host.finish()).toBe(0);
    const lines = (await readFile(sessionFile, "utf8")).trim().split("\n");
    return { reply, entry: lines.map((line) => JSON.parse(line)).find(({ type }) => type === "compaction") };
  };

  it("CO-11 session_before_compact cancels: no entry is written", async () => {
    const { reply, entry } = await compacted(`lathe.on("session_before_compact", () => ({ cancel: "not now" }));`);
    expect(JSON.stringify(reply)).toContain("not now");
    expect(entry).toBeUndefined();
  });

  it("CO-11 a summary of an extension is stored as its own, and no model is asked", async () => {
    const { entry } = await compacted(`lathe.on("session_before_compact", () => ({ summary: "my notes" }));`);
    expect(entry).toMatchObject({ summary: expect.stringMatching(/^my notes/), fromExtension: true });
    expect(at.server.requests).toHaveLength(2);
  });

  it("CO-11 session.compacting: its prompt and context reach the summarizing model, its data is in the session file", async () => {
    const { entry } = await compacted(
      `lathe.on("session.compacting", () => ({ prompt: "the mill", context: ["The mill is red."], preserveData: { mine: { n: 1 }, snapcompact: 5 } }));`,
    );
    const asked = JSON.stringify(at.server.requests[2]?.body);
    expect(asked).toContain("pay special attention to: the mill");
    expect(asked).toContain("The mill is red.");
    expect(entry).toMatchObject({ preserveData: { mine: { n: 1 } } });
    expect(entry).not.toHaveProperty("fromExtension");
    expect(entry.preserveData).not.toHaveProperty("snapcompact");
  });
});

it("G-01 G-06 failures of extensions are flat frames with file, event and error, also those at the start", async () => {
  await extension("broken", "export default () => { throw new Error('no luck'); };");
  await extension("faulty", `export default (lathe) => lathe.on("agent_start", () => { throw new Error("oops"); });`);
  const host = await at.start();
  await host.prompt("go");
  const failures = host.frames.filter(({ type }) => type === "extension_error");
  expect(failures).toEqual([
    {
      type: "extension_error",
      extensionPath: expect.stringMatching(/broken\.ts$/),
      event: "its factory",
      error: "no luck",
    },
    {
      type: "extension_error",
      extensionPath: expect.stringMatching(/faulty\.ts$/),
      event: "agent_start",
      error: "oops",
    },
  ]);
  expect(await host.finish()).toBe(0);
});
