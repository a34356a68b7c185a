// What a model, a server, a tool or a host makes up must not end the session, nor stay in it and spoil every later request.

import type { JsonObject } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { journalError } from "../support/history-grammar.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const deep = (levels: number): JsonObject =>
  JSON.parse(`{"x":${"[".repeat(levels)}${"]".repeat(levels)}}`) as JsonObject;
const LONE = "cut \ud83d here";
const FIXED = "cut \ufffd here";

describe("arguments nested 100,000 levels deep", () => {
  it("D-012 are refused as a result, and the session goes on", async () => {
    const runs: unknown[] = [];
    const echo = tool("echo", (args) => {
      runs.push(args);
      return "ran";
    });
    const script = [{ calls: [{ name: "echo", id: "d", args: deep(100_000) }] }, { text: "fine" }, { text: "later" }];
    const s = setUp({ profile: testProfile([echo]), script });
    await s.session.submit("go");
    await s.session.submit("more");
    expect(runs).toEqual([]);
    expect(s.of("tool_call_end")[0]?.data.error).toMatch(
      /^Invalid arguments for tool: echo\n.*nested more than 200 levels/s,
    );
    expect(s.of("error")).toEqual([]);
    expect(s.session.lastText()).toBe("later");
    expect(journalError(s.session.journal)).toBeUndefined();
    await s.finish();
  });

  it("of 150 levels run", async () => {
    const s = setUp({
      profile: testProfile([tool("echo", () => "ran")]),
      script: [{ calls: [{ name: "echo", id: "d", args: deep(150) }] }, { text: "fine" }],
    });
    await s.session.submit("go");
    expect(s.of("tool_call_end")[0]?.data).toMatchObject({ is_error: false, output: "ran" });
    await s.finish();
  });
});

it("many calls with one id are told apart", async () => {
  const calls = Array.from({ length: 3 }, () => ({ name: "nobody", id: "same" }));
  const s = setUp({
    profile: testProfile([]),
    script: [{ calls: [...calls, { name: "x", id: "same_2" }] }, { text: "fine" }],
  });
  await s.session.submit("go");
  const ids = s.of("tool_call_end").map(({ data }) => data.call_id);
  expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
  await s.finish();
});

describe("half of a surrogate pair", () => {
  it("in an input, steering, a tool's result and an extension's message is replaced where it comes in", async () => {
    const cut = tool("cut", () => LONE);
    const s = setUp({ profile: testProfile([cut]), script: [{ calls: [{ name: "cut", id: "c" }] }, { text: "fine" }] });
    s.session.steer(LONE);
    s.session.appendCustomMessage("note", LONE);
    await s.session.submit([{ kind: "text", text: LONE }]);
    const sent = JSON.stringify(s.client.requests.at(-1)?.messages);
    expect(sent).not.toContain("\\ud83d");
    expect(sent.split(FIXED)).toHaveLength(5);
    expect(s.of("tool_call_end")[0]?.data.output).toBe(FIXED);
    await s.finish();
  });
});
