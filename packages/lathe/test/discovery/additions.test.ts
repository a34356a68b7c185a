// What parts of the product add to a session: when they are loaded, what the session gets, and what happens when one
// fails.

import { existsSync } from "node:fs";
import { defineSessionTool } from "@lathe/agent";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import type { AdditionEntry, SessionPart } from "../../src/conversation/session-contract.ts";
import { conversation, type Talk } from "../conversation-kit.ts";

let talk: Talk;
afterEach(async () => {
  await talk.talk.close();
  await talk.server.close();
});

const GIT = { "project/.git/HEAD": "ref: refs/heads/main\n" };
const start = async (
  additions: readonly AdditionEntry[],
  files: Readonly<Record<string, string>> = {},
  trusted: readonly string[] = [],
): Promise<void> => {
  talk = await conversation({}, { additions, files: { ...GIT, ...files }, cwd: "project", trusted });
};
const entry = (addition: SessionPart, more: Partial<AdditionEntry> = {}): AdditionEntry => ({
  name: addition.name,
  load: async () => async () => addition,
  ...more,
});
const tools = [
  defineSessionTool({
    name: "sample_tool",
    description: "A sample.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    tier: "read",
    execute: () => "made by the sample",
  }),
];
const system = (): string => JSON.stringify((talk.server.requests.at(-1)!.body as { system: unknown }).system);

it("middleware, tools, addresses, sections of the prompt and commands of an addition work, and it hears of the session's begin and end", async () => {
  const heard: string[] = [];
  await start([
    entry({
      name: "sample",
      middleware: [
        { name: "sample", onInput: async (input) => void heard.push(`input ${JSON.stringify(input.content)}`) },
      ],
      toolProviders: [
        {
          tools: () => tools,
        },
      ],
      schemes: { sample: { read: async (url) => `read ${url}` } },
      systemParts: async () => [{ name: "sample list", text: "# Samples\n\n- one" }],
      commands: async () => [
        {
          name: "sample:hi",
          description: "says hi",
          run: (_talk, argument, view) => view.line(`hi ${argument}`),
          arguments: "[who]",
        },
        { name: "cost", description: "a built-in name stays", run: (_talk, _argument, view) => view.line("mine") },
      ],
      opened: (_open, { reason }) => void heard.push(`opened ${reason}`),
      close: async () => void heard.push("closed"),
    }),
  ]);
  talk.server.push(
    turn.calls([{ name: "sample_tool", args: {} }]),
    turn.calls([{ name: "read_file", args: { file_path: "sample://x" } }]),
    turn.text("done"),
  );
  await talk.say("go");
  expect(system()).toContain("# Samples");
  expect(talk.server.requests[1]?.text).toContain("made by the sample");
  expect(talk.server.requests[2]?.text).toContain("read sample://x");
  await talk.say("/sample:hi there");
  expect(talk.lines.at(-1)).toBe("hi there");
  await talk.say("/cost");
  expect(talk.lines.at(-1)).not.toBe("mine");
  await talk.talk.startNew();
  expect(heard).toEqual(["opened start", 'input "go"', "closed", "opened new"]);
});

it("EX-01 a part is loaded only where an item of its kinds was found", async () => {
  const loaded: string[] = [];
  const part = (name: string, more: Partial<AdditionEntry>): AdditionEntry => ({
    name,
    load: async () => async () => {
      loaded.push(name);
      return undefined;
    },
    ...more,
  });
  const parts = [
    part("skills", { kinds: ["skill"] }),
    part("commands", { kinds: ["command", "prompt"] }),
    part("wanted", { kinds: ["hook"], isNeeded: () => true }),
    part("always", {}),
  ];
  await start(parts);
  expect(loaded.sort()).toEqual(["always", "wanted"]);
  await talk.talk.close();
  await talk.server.close();
  loaded.length = 0;
  await start(parts, { "project/.claude/commands/a.md": "x" });
  expect(loaded.sort()).toEqual(["always", "commands", "wanted"]);
});

it("a part that fails is one warning, and the session works; so is one that fails later", async () => {
  const failing = (name: string): never => {
    throw new Error(`${name} is broken`);
  };
  await start([
    { name: "first", load: async () => async () => failing("first") },
    entry({
      name: "second",
      systemParts: () => failing("prompt"),
      commands: async () => failing("list"),
      opened: () => failing("begin"),
      close: async () => failing("end"),
    }),
    entry({ name: "third", systemParts: () => [{ name: "third", text: "third works" }] }),
  ]);
  talk.server.push(turn.text("ok"));
  await talk.say("go");
  expect(system()).toContain("third works");
  expect(talk.warnings.sort()).toEqual([
    "first: first is broken",
    "second: begin is broken",
    "second: list is broken",
    "second: prompt is broken",
  ]);
});

it("what an untrusted folder brings is named in one line, and broken files each in one", async () => {
  await start([{ name: "parts", kinds: ["mcp-server", "hook"], load: async () => async () => undefined }], {
    "project/.mcp.json": '{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}',
    "project/.claude/settings.json": '{"hooks": {"Stop": [{"command": "x"}, {"command": "y"}]}}',
    "project/.cursor/mcp.json": "{",
  });
  talk.server.push(turn.text("ok"));
  await talk.say("go");
  expect(talk.warnings.map((line) => line.replaceAll(`${talk.root}/`, ""))).toEqual([
    "project/.cursor/mcp.json:1: it is not valid JSON: close brace expected.",
    "This folder is not trusted; ignored: .mcp.json (mcp-server a, mcp-server b); .claude/settings.json (hook). To let them take effect: lathe trust",
  ]);
});

it("LS-07 with a SYSTEM.md lists are left out; what must hold anyway stays", async () => {
  await start(
    [
      entry({
        name: "parts",
        systemParts: ({ custom, appended }) => [
          { name: "list", text: "a list" },
          { name: "rules", text: `rules beside ${custom} and ${appended}`, stays: true },
        ],
      }),
    ],
    { "project/.lathe/SYSTEM.md": "S", ".lathe-home/APPEND_SYSTEM.md": "A" },
    [".lathe/SYSTEM.md"],
  );
  talk.server.push(turn.text("ok"));
  await talk.say("go");
  expect(system()).toContain("S\\n\\nrules beside S and A\\n\\n## User instructions\\n\\nA");
  expect(system()).not.toContain("a list");
});

it("EX-11 /extensions lists active and shadowed items; choosing one switches it off for good, and on again", async () => {
  await start([], {
    ".lathe-home/skills/review/SKILL.md": "---\ndescription: Reviews\n---\nx",
    ".claude/skills/review/SKILL.md": "y",
  });
  const shown: string[] = [];
  const picks = ["skill: review", "provider: claude", undefined];
  talk.view.choose = async (choice) => {
    shown.push(
      ...choice.items
        .filter(({ label }) => !label.startsWith("provider"))
        .map(({ label, detail }) => `${label} | ${detail}`),
      "--",
    );
    const wanted = picks.shift();
    return choice.items.find(({ label }) => label === wanted)?.value;
  };
  await talk.say("/extensions");
  const own = (state: string) => `skill: review | Lathe, ${state}: ~/.lathe-home/skills/review/SKILL.md`;
  const theirs = (state: string) => `skill: review | Claude Code, ${state}: ~/.claude/skills/review/SKILL.md`;
  const off = "ignored: disabled in the settings";
  expect(shown).toEqual([
    own("user"),
    theirs("shadowed by ~/.lathe-home/skills/review/SKILL.md"),
    "--",
    own(off),
    theirs(off),
    "--",
    own(off),
    "--",
  ]);
  expect(talk.lines.slice(-3)).toEqual([
    "skill:review is off.",
    "claude is off.",
    "Takes effect in the next session; instructions and rules also after /reload.",
  ]);
  const { readFileSync } = await import("node:fs");
  const config = `${talk.root}/.lathe-home/config.yml`;
  expect(existsSync(config) && readFileSync(config, "utf8")).toMatch(/skill:review[\s\S]*claude/);
  picks.push("skill: review", undefined);
  await talk.say("/extensions skills");
  expect(talk.lines.at(-2)).toBe("skill:review is on.");
  await expect(talk.say("/extensions sklls")).rejects.toThrow(/There is no kind "sklls"\. Choose one of: /);
});
