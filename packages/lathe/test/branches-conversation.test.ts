// Slash commands for the session tree in a conversation, and hooks that object to leaving.

import { realpathSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Middleware } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trustFolder } from "../src/config/trust/trust.ts";
import { builtinCommands } from "../src/conversation/commands/builtin.ts";
import { Conversation } from "../src/conversation/conversation.ts";
import type { Arrival } from "../src/conversation/session-contract.ts";
import { sessionRequest } from "../src/conversation/session-request.ts";
import { Run } from "../src/hosts/run.ts";
import { newJournal } from "../src/sessions/journals/journal-files.ts";

let server: ModelServer;
let root: string;
let conversation: Conversation;
let arrivals: Arrival[];
let compactions: string[];
let lines: string[];
let edited: string[];
let typed: string[];

beforeEach(async () => {
  server = await startModelServer({ script: ({ view }) => turn.text(`re: ${view.messages.at(-1)?.text}`) });
  root = realpathSync(await mkdtemp(join(tmpdir(), "lathe-tree-")));
  const env = {
    PATH: process.env["PATH"],
    LATHE_HOME: join(root, ".home"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
  };
  await mkdir(join(root, "project"));
  const { stdin, stdout, stderr } = process;
  const place = { env, cwd: join(root, "project"), userHome: root, pid: process.pid, host: hostname() };
  const machine = { ...place, deps: defaultDeps({ env }), stdin, stdout, stderr, terminal: stdout };
  const options = { model: "anthropic/claude-sonnet-4-5" };
  const run = new Run(machine);
  const workspace = await run.open(options);
  arrivals = [];
  compactions = [];
  lines = [];
  edited = [];
  typed = [];
  conversation = await Conversation.start(
    {
      workspace,
      requestFor: (opened, where = workspace) => sessionRequest(where, options, opened),
      workspaceAt: (cwd) => run.openAt(cwd, options),
      onSession: (_open, arrival) => arrivals.push(arrival),
      onEvent: (_session, event) => {
        if (event.kind === "compaction_start") compactions.push(event.data.reason);
      },
    },
    newJournal(workspace),
  );
});
afterEach(async () => {
  await conversation.close();
  await server.close();
});

const say = async (line: string): Promise<void> => {
  const commands = builtinCommands();
  const command = commands.parse(line);
  const view = {
    line: (text: string) => void lines.push(text),
    ask: async () => typed.shift(),
    showPast: async () => {},
    prefill: (text: string) => void edited.push(text),
    leave: () => {},
  };
  if (command) return commands.run(conversation, command, view);
  await conversation.submit(line);
};
const objecting = (hooks: Omit<Middleware, "name">): (() => void) =>
  conversation.session.use({ name: "objects", ...hooks });

describe("slash commands", () => {
  it("G-31 G-33 /tree shows the tree and goes to a label; the message comes back to be edited", async () => {
    await say("one");
    await say("two");
    const [, second] = conversation.branchPoints();
    await say(`/label ${second!.id} try`);
    await say("/label");
    await say("/tree labeled-only");
    expect(lines.splice(0)).toEqual([
      `Labelled ${second!.id}: try`,
      `${second!.id}  try`,
      `› ${second!.id}  [try] You: two`,
    ]);
    expect(await builtinCommands().completions(conversation, "/tree t")).toEqual(["/tree try"]);
    await say("/tree try");
    expect(edited).toEqual(["two"]);
    await say("two, better");
    expect(
      server.requests
        .at(-1)
        ?.view.messages.map(({ text }) => text)
        .join("\n"),
    ).toMatch(/one[\s\S]*two, better/);
    await say("/label try --clear");
    expect(lines.at(-1)).toBe(`Cleared the label of ${second!.id}.`);
    await expect(say("/tree nothing0")).rejects.toThrow("There is no entry nothing0 in this session. See /tree.");
    await expect(say(`/tree ${second!.id} sumary`)).rejects.toThrow('"sumary" is not valid. Use: /tree <entry>');
    await expect(say("/label")).resolves.toBeUndefined();
    expect(lines.at(-1)).toBe("There are no labels. Set one: /label <entry> <name>");
  });

  it("CO-10 /tree <entry> summary sends the focus to the summarizer", async () => {
    await say("one");
    await say("two");
    await say(`/tree ${conversation.branchPoints()[1]!.id} summary what was slow`);
    const asked = server.requests
      .at(-1)!
      .view.messages.map(({ text }) => text)
      .join("\n");
    expect(asked).toContain("pay special attention to: what was slow");
    await say("three");
    expect(
      server.requests
        .at(-1)!
        .view.messages.map(({ text }) => text)
        .join("\n"),
    ).toContain("<branch_summary>");
  });

  it("a model that cannot summarize is refused before anything changes", async () => {
    await conversation.switchModel("practice/basic");
    await say("hello");
    const [first] = conversation.branchPoints();
    const { leaf } = conversation.session.journal;
    await expect(say(`/tree ${first!.id} summary`)).rejects.toThrow(
      "The practice model cannot summarize. Choose a model first, or move without a summary.",
    );
    expect(conversation.session.journal.leaf).toBe(leaf);
  });

  it("G-32 /branch offers one's messages, and continues in a session of its own", async () => {
    await say("one");
    await say("two");
    const old = conversation.open.journal.path;
    typed.push("");
    await say("/branch");
    expect(lines.splice(0)).toEqual([" 1  one", " 2  two", "No message selected."]);
    typed.push("2");
    await say("/branch");
    expect(edited).toEqual(["two"]);
    expect(conversation.session.journal.header.parentSession).toBe(old);
    expect(conversation.session.journal.title?.title).toBe("Branch of one");
    expect(arrivals.at(-1)).toMatchObject({ reason: "branch", previousSessionFile: old });
    await say("/new");
    await expect(say("/branch")).rejects.toThrow("There is no message yet to branch from.");
  });

  it("SP-03 CO-01 after /move the idle settings of the new folder take effect", async () => {
    const there = join(root, "there");
    await mkdir(join(there, ".lathe"), { recursive: true });
    const keys = { idleEnabled: true, idleTimeoutSeconds: 1, idleThresholdTokens: 1, keepRecentTokens: 1 };
    await writeFile(join(there, ".lathe", "config.yml"), JSON.stringify({ compaction: keys }));
    await trustFolder(conversation.workspace.paths.trust, there, new Date(0));
    await say("one");
    await say("two");
    await say("/move ../there");
    await say("three");
    await expect.poll(() => compactions).toEqual(["idle"]);
  });

  it("SP-03 /move takes the session along; the other folder's settings take effect", async () => {
    await say("one");
    await mkdir(join(root, "there"));
    await expect(say("/move")).rejects.toThrow("Name a folder: /move <folder>");
    await expect(say("/move ../nowhere")).rejects.toThrow("There is no folder ../nowhere.");
    await say("/move ../there");
    expect(lines.at(-1)).toBe(`This session now works in ${join(root, "there")}.`);
    expect(conversation.workspace.cwd).toBe(join(root, "there"));
    expect(conversation.session.env.workingDirectory()).toBe(join(root, "there"));
    await say("/move ../project");
    await say("two");
    expect(conversation.session.journal.header.cwd).toBe(join(root, "project"));
  });
});

describe("G-34 G-40 hooks that object", () => {
  it("to a switch: it is cancelled with the reason, and the session goes on", async () => {
    await say("one");
    const { session } = conversation;
    const before = conversation.open.journal.path!;
    await say("/new");
    await say("other");
    const reasons: string[] = [];
    const remove = objecting({
      beforeSwitch: ({ reason }) => {
        reasons.push(reason);
        return { cancel: "there is work to save" };
      },
      beforeBranch: () => ({ cancel: "not from here" }),
      beforeTree: () => ({ cancel: "stay" }),
    });
    const present = conversation.session.id;
    const { leaf } = conversation.session.journal;
    await mkdir(join(root, "there"));
    expect(await conversation.resume(before)).toEqual({ cancelled: "there is work to save" });
    for (const line of ["/new", "/fork", "/move ../there"]) await say(line);
    expect(reasons).toEqual(["resume", "new", "fork", "move"]);
    const [message] = conversation.branchPoints();
    await say(`/branch ${message!.id}`);
    await say(`/tree ${message!.id}`);
    expect(lines.slice(-5)).toEqual([
      "Not started: there is work to save.",
      "Not copied: there is work to save.",
      "Not moved: there is work to save.",
      "Not branched: not from here.",
      "Not moved: stay.",
    ]);
    expect([conversation.session.id, conversation.session.journal.leaf, edited]).toEqual([present, leaf, []]);
    await say("still here");
    remove();
    await conversation.resume(before);
    expect(conversation.session.id).toBe(session.id);
    expect(arrivals.map(({ reason }) => reason)).toEqual(["start", "new", "resume"]);
  });
});
