// The vendor names for what belongs to the session: child agents, questions, pictures, plans.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import type { Question } from "../../src/contract/questions.ts";
import type { SessionOptions } from "../../src/session/types.ts";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { type Dialect, wire } from "../support/wire.ts";

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};

const start = (dialect: Dialect, script: Parameters<typeof wire>[1], options: Partial<SessionOptions> = {}) =>
  wire(dialect, script, {
    profile: defineProfile(FAMILIES[dialect], { model: MODELS[dialect], toolNames: "native" }),
    env: new MemoryEnvironment(),
    ...options,
  });

it("SB-01 U-14 Agent starts a child and gives back its last words; the child has no Agent", async () => {
  const offeredToChild: string[] = [];
  const w = await start("anthropic", ({ view, body }) => {
    const task = view.messages.some(({ role, text }) => role === "user" && text.includes("count the files"));
    const isChild = task && !view.messages.some(({ text }) => text.includes("use a helper"));
    if (isChild) {
      offeredToChild.push(JSON.stringify(body));
      return turn.text("there are three");
    }
    if (view.messages.some(({ results }) => results.length > 0)) return turn.text("three");
    return turn.calls([{ name: "Agent", id: "a", args: { description: "count", prompt: "count the files" } }]);
  });
  await w.session.submit("use a helper");
  await w.finish();
  expect(w.of("tool_call_end")[0]?.data.output).toMatch(/^there are three\n\[agent \S+: completed\]$/);
  expect(offeredToChild[0]).toContain('"name":"Read"');
  expect(offeredToChild[0]).not.toContain('"name":"Agent"');
});

it("SB-01 U-14 spawn_agent and wait_agent take Codex's parameters", async () => {
  const w = await start("openai", ({ view }) => {
    if (!view.messages.some(({ text }) => text.includes("use a helper"))) return turn.text("done below");
    const results = view.messages.flatMap((message) => message.results);
    if (results.length === 0) return turn.calls([{ name: "spawn_agent", id: "s", args: { message: "go below" } }]);
    if (results.length > 1) return turn.text("all done");
    const id = (JSON.parse(results[0]!.text) as { agent_id: string }).agent_id;
    return turn.calls([{ name: "wait_agent", id: "w", args: { targets: [id], timeout_ms: 1000 } }]);
  });
  await w.session.submit("use a helper");
  await w.finish();
  expect(w.of("tool_call_end")[1]?.data.output).toMatch(/^\{"[^"]+":\{"output":"done below","success":true/);
});

it.each([
  [
    "anthropic",
    "AskUserQuestion",
    { questions: [{ question: "Which?", header: "Colour", options: [{ label: "red" }], multiSelect: false }] },
  ],
  ["openai", "request_user_input", { questions: [{ id: "Colour", question: "Which?", options: [{ label: "red" }] }] }],
  ["gemini", "ask_user", { questions: [{ question: "Which?", header: "Colour", options: [{ label: "red" }] }] }],
] as const)("U-14 %s: %s reaches the host's answerer", async (dialect, name, args) => {
  const asked: Question[] = [];
  const answerer = async (questions: readonly Question[]) => {
    asked.push(...questions);
    return [{ id: "Colour", selected: ["red"] }];
  };
  const script = [turn.calls([{ name, id: "q", args: args as never }]), turn.text("red it is")];
  const w = await start(dialect, script, { services: { answerer } as never });
  await w.session.submit("ask me");
  await w.finish();
  expect(asked).toMatchObject([{ id: "Colour", question: "Which?", options: [{ label: "red" }] }]);
  expect(w.result(1, "q", name).text).toBe("User selected: red");
});

it("TL-01 U-14 view_image shows a picture and nothing else", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const look = (path: string, id: string) => turn.calls([{ name: "view_image", id, args: { path } }]);
  const w = await start("openai", [look("a.png", "i"), look("notes.txt", "n"), turn.text("seen")], {
    env: new MemoryEnvironment({ files: { "a.png": png, "notes.txt": "text" } }),
  });
  await w.session.submit("look");
  await w.finish();
  expect(w.result(1, "i", "view_image").text).toContain("a.png: image/png, 16 bytes");
  expect(w.result(2, "n", "view_image").text).toContain("notes.txt is not an image");
});

it("EX-08 U-14 read_address reads what commands cannot open, and no files", async () => {
  const read = (address: string, id: string) => turn.calls([{ name: "read_address", id, args: { address } }]);
  const w = await start("openai", [read("skill://one", "s"), read("notes.txt", "n"), turn.text("seen")], {
    env: new MemoryEnvironment({ files: { "notes.txt": "text" } }),
    schemes: { skill: { read: async (url) => `the text of ${url}` } },
  });
  await w.session.submit("look");
  await w.finish();
  expect(w.result(1, "s", "read_address").text).toContain("the text of skill://one");
  expect(w.result(2, "n", "read_address").text).toContain("Look at files with exec_command.");
});

it("U-14 commands are refused in words where an environment has none", async () => {
  const call = turn.calls([{ name: "exec_command", id: "c", args: { cmd: "ls" } }]);
  const w = await start("openai", [call, turn.text("no shell")]);
  await w.session.submit("list");
  await w.finish();
  expect(w.result(1, "c", "exec_command").text).toContain("Commands cannot run in this environment");
});
