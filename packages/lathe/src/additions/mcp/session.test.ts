import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { officialServer, ROGUE } from "../../../test/mcp/kit.ts";
import { type Talk, type TalkOptions, talkWith, toolsIn } from "../../../test/mcp/talk.ts";

const rogue = (...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [ROGUE, ...args],
});
const everything = { command: process.execPath, args: [officialServer("everything"), "stdio"] };
const calls = (name: string, args: Record<string, unknown> = {}) => turn.calls([{ name, args }]);

const open: Talk[] = [];
async function talk(servers: Parameters<typeof talkWith>[0], options?: TalkOptions): Promise<Talk> {
  const made = await talkWith(servers, options);
  open.push(made);
  return made;
}
const closeAll = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((one) => one.close()));
};

describe("when servers start", () => {
  afterEach(closeAll);

  it("MC-01 a run without a person waits for an unknown server; the next one has its tools at once and connects on the call", async () => {
    const servers = { slow: rogue("--delay", "600") };
    const first = await talk(servers, { headless: true });
    await first.say("go", turn.text("ok"));
    expect(first.offeredTools(0)).toContain("mcp__slow__echo");
    await closeAll();
    const log = join(first.root, "starts.log");
    const second = await talk(servers, { headless: true, root: first.root });
    await second.say("go", calls("mcp__slow__echo", { text: "hello" }), turn.text("ok"));
    expect(second.offeredTools(0)).toContain("mcp__slow__echo");
    expect(second.lastResult()).toContain("hello");
    expect(second.prefixChanges()).toEqual([]);
    expect(existsSync(log)).toBe(false);
  });

  it("MC-01 a known server that nobody calls is not started", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-")));
    const log = join(root, "starts.log");
    const servers = { slow: rogue("--log", log) };
    const first = await talk(servers, { headless: true, root });
    await first.say("go", turn.text("ok"));
    await closeAll();
    const second = await talk(servers, { headless: true, root });
    await second.say("go", turn.text("ok"));
    expect(readFileSync(log, "utf8").match(/start/g)).toHaveLength(1);
  });

  it("where a person waits, late servers come together: the prompt changes once", async () => {
    const one = await talk(
      { a: rogue("--delay", "700"), b: rogue("--delay", "900") },
      { settings: { "tools.discoveryMode": "off" } },
    );
    await one.say("go", turn.text("ok"));
    expect(one.offeredTools(0)).toEqual([]);
    await expect
      .poll(() => Promise.all([statusOf(one, "a"), statusOf(one, "b")]))
      .toEqual([expect.stringContaining("connected"), expect.stringContaining("connected")]);
    await one.say("again", turn.text("ok"));
    await one.say("and again", turn.text("ok"));
    expect(one.offeredTools()).toEqual(expect.arrayContaining(["mcp__a__echo", "mcp__b__echo"]));
    expect(one.prefixChanges()).toEqual(["tools"]);
  });

  it("G-19 a server that a stranger's folder brings is not started", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-")));
    const log = join(root, "starts.log");
    await (await talk({}, { root })).close();
    open.splice(0);
    for (const file of [".mcp.json", ".lathe-mcp.json"])
      writeFileSync(join(root, "project", file), JSON.stringify({ mcpServers: { evil: rogue("--log", log) } }));
    const stranger = await talk({}, { root, headless: true });
    await stranger.say("go", turn.text("ok"));
    expect(stranger.offeredTools()).toEqual(["search_tool_bm25"]);
    expect(existsSync(log)).toBe(false);
  });
});

describe("in a session", () => {
  let one: Talk;
  let log: string;
  beforeAll(async () => {
    log = join(realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-"))), "starts.log");
    one = await talk(
      { all: { ...everything, sampling: true }, rogue: rogue("--log", log) },
      {
        headless: true,
        settings: { "tools.discoveryMode": "off" },
        answer: ({ options }) => options[0]?.label ?? "words",
      },
    );
    await one.say("go", turn.text("ok"));
  });
  afterAll(closeAll);

  it("MC-03 a resource is read like a file, and a server lists what it has", async () => {
    const read = (file_path: string) => [calls("read_file", { file_path }), turn.text("ok")];
    await one.say("look", ...read("mcp://all"));
    const address = /mcp:\/\/all\/demo:[^ \\"]+/.exec(one.lastResult())?.[0];
    expect(address).toBeDefined();
    await one.say("read", ...read(String(address).replace("{resourceId}", "1")));
    expect(one.lastResult()).not.toContain("failed");
    await one.say("read", ...read("mcp://nobody/x"));
    expect(one.lastResult()).toContain("There is no MCP server nobody. Known: all, rogue.");
  });

  it("MC-03 a prompt is a command, and its text is what the person says", async () => {
    await one.say("/mcp__all__args-prompt Paris", turn.text("ok"));
    expect(JSON.stringify(one.model.requests.at(-1)?.body)).toContain("What's weather in Paris?");
    await expect(one.say("/mcp__all__args-prompt")).rejects.toThrow(
      "/mcp__all__args-prompt needs city. Write it after the command.",
    );
  });

  it("a server's question reaches the person, and its question to the model is one outside the conversation", async () => {
    await one.say("ask", calls("mcp__all__trigger-elicitation-request"), turn.text("ok"));
    expect(one.lastResult()).toMatch(/User (provided|accept)/i);
    await one.say(
      "sample",
      calls("mcp__all__trigger-sampling-request", { prompt: "a poem", maxTokens: 20 }),
      turn.text("sampled words"),
      turn.text("ok"),
    );
    expect(one.lastResult()).toContain("sampled words");
  });

  it("SA-02 a child agent uses the parent's connection: the server is started once", async () => {
    let childAsked = false;
    one.answer(({ body }) => {
      const said = JSON.stringify((body as { messages: unknown[] }).messages);
      if (!said.includes("the task of the child")) return turn.text("ok");
      if (said.includes('"delegate"')) return turn.text("waiting for it");
      childAsked = said.includes("tool_result");
      return childAsked ? turn.text("child done") : calls("mcp__rogue__pid");
    });
    await one.say("delegate", turn.calls([{ name: "spawn_agent", args: { task: "the task of the child" } }]));
    await expect.poll(() => childAsked).toBe(true);
    one.answer(undefined);
    await one.say("more", calls("mcp__rogue__pid"), turn.text("ok"));
    expect(readFileSync(log, "utf8").match(/start/g)).toHaveLength(1);
  });

  it("/new goes on with the same connections; what changes after it is announced once, as in the first session", async () => {
    const before = one.prefixChanges().length;
    await one.say("/new");
    await one.say("go", calls("mcp__rogue__pid"), turn.text("ok"));
    expect(one.offeredTools()).toEqual(expect.arrayContaining(["mcp__all__echo", "mcp__rogue__pid"]));
    expect(readFileSync(log, "utf8").match(/start/g)).toHaveLength(1);
    expect(readFileSync(log, "utf8")).toContain(`start ${/\d+/.exec(one.lastResult())?.[0]}\n`);
    expect(one.prefixChanges()).toHaveLength(before);
  });

  it("MC-01 a server killed in the middle of a call is an error result, and the session goes on", async () => {
    await one.say("kill", calls("mcp__rogue__die"), turn.text("I see"));
    expect(one.lastResult()).toContain("The MCP server rogue failed: it ended with code 7: out of cheese.");
    await one.say("again", calls("mcp__rogue__echo", { text: "back" }), turn.text("ok"));
    expect(one.lastResult()).toContain("back");
    expect(one.prefixChanges()).toEqual([]);
  });

  it("a list that changes is offered, each time with one announced change of the prefix; one that never rests is ignored", async () => {
    for (let i = 0; i < 7; i++) {
      await one.say("grow", calls("mcp__rogue__grow"), turn.text("ok"));
      await expect.poll(() => statusOf(one, "rogue")).toMatch(`${12 + i} tools`);
    }
    await one.say("look", turn.text("ok"));
    expect(one.offeredTools().filter((name) => name.includes("grown"))).toHaveLength(5);
    expect(one.prefixChanges()).toEqual(["tools", "tools", "tools", "tools", "tools"]);
    expect(one.warnings().filter((text) => text.includes("keeps changing"))).toHaveLength(1);
  });

  it("/mcp turns a server off and on, for this session; the model loses and gets its tools, announced", async () => {
    const before = one.prefixChanges().length;
    await one.say("/mcp disable all");
    await one.say("look", turn.text("ok"));
    expect(one.offeredTools().some((name) => name.startsWith("mcp__all__"))).toBe(false);
    await one.say("/mcp enable all");
    await one.say("look", turn.text("ok"));
    expect(one.offeredTools()).toContain("mcp__all__echo");
    expect(one.prefixChanges().slice(before)).toEqual(["tools", "tools"]);
    await one.say("/mcp disable rogue");
    await one.say("/new");
    await one.say("look", turn.text("ok"));
    expect(one.offeredTools()).toContain("mcp__rogue__echo");
    await expect(one.say("/mcp disable nobody")).rejects.toThrow(
      "There is no MCP server nobody. There are: all, rogue",
    );
  });
});

describe("between sessions", () => {
  afterEach(closeAll);

  it("a server that was configured meanwhile is there after /new; the last session ends them all", async () => {
    const log = join(realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-"))), "starts.log");
    const one = await talk({}, { headless: true });
    await one.say("/mcp");
    expect(one.lines.join("\n")).toContain("Add one: lathe mcp add <name> <command or address>");
    one.configure({ later: rogue("--log", log) });
    await one.say("/new");
    await one.say("go", calls("mcp__later__echo", { text: "hello" }), turn.text("ok"));
    expect(one.lastResult()).toContain("hello");
    expect(await statusOf(one, "later")).toContain("connected");
    await closeAll();
    const pid = Number(/start (\d+)/.exec(readFileSync(log, "utf8"))?.[1]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

async function statusOf(one: Talk, server: string): Promise<string> {
  one.lines.length = 0;
  await one.say("/mcp");
  return (
    one.lines
      .join("\n")
      .split("\n")
      .find((line) => line.startsWith(server)) ?? ""
  );
}

describe("many tools", () => {
  afterEach(closeAll);

  it("T-DISC-1 MC-04 sixty tools stay hidden until they are looked for, and a resumed session has what was found", async () => {
    const servers = { big: rogue("--tools", "60") };
    const first = await talk(servers, { headless: true });
    await first.say(
      "go",
      calls("search_tool_bm25", { query: "task number 17" }),
      calls("mcp__big__task_17", {}),
      turn.text("ok"),
    );
    expect(first.offeredTools(0)).toEqual(["search_tool_bm25"]);
    expect(first.offeredTools(1).length).toBeLessThanOrEqual(9);
    expect(first.offeredTools(1)).toContain("mcp__big__task_17");
    expect(first.lastResult()).toContain("did task_17");
    const found = first.offeredTools();
    const session = first.file();
    await closeAll();
    const second = await talk(servers, { headless: true, root: first.root, session });
    await second.say("go on", turn.text("ok"));
    expect(second.offeredTools()).toEqual(found);
    expect(second.prefixChanges()).toEqual([]);
  });

  it("G-74 mode all hides built-in tools as well, without any server", async () => {
    const one = await talk({}, { settings: { "tools.discoveryMode": "all" } });
    await one.say("go", calls("search_tool_bm25", { query: "write file" }), turn.text("ok"));
    const names = (i: number): string[] => toolsIn(one.model.requests[i]?.body);
    expect(names(0)).toEqual(["read_file", "edit_file", "shell", "exit_plan_mode", "search_tool_bm25"]);
    expect(names(1)).toContain("write_file");
  });
});
