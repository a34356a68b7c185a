// Whatever a model, a server, a tool or a host makes up must not end the session, nor stay in it and spoil every later
// request.

import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { journalError } from "../support/history-grammar.ts";
import { setUp, testProfile, tool } from "../support/session.ts";
import { DIALECTS, profileFor, wire } from "../support/wire.ts";

const deep = (levels: number): string => `{"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const LONE = "cut \ud83d here";
const FIXED = "cut \ufffd here";

describe.each(DIALECTS)("arguments of a %s model that are nested", (dialect) => {
  // Gemini's arguments are part of the event's own JSON, which the scripted server cannot nest any deeper.
  const levels = dialect === "gemini" ? 3000 : 100_000;

  it(`${levels} levels deep are refused as a result, and the session goes on`, async () => {
    const runs: unknown[] = [];
    const look = tool("look", (args) => {
      runs.push(args);
      return "ran";
    });
    const calls = turn.calls([{ name: "look", rawArgs: deep(levels) }]);
    const w = await wire(dialect, [calls, turn.text("fine"), turn.text("later")], {
      profile: profileFor(dialect, [look]),
    });
    await w.session.submit("go");
    await w.session.submit("more");
    expect(runs).toEqual([]);
    expect(w.of("error").map(({ data }) => data.message)).toEqual([]);
    expect(w.of("tool_call_end").map(({ data }) => data.error)).toEqual([
      expect.stringMatching(/^Invalid arguments for tool: look\n.*nested (?:more|deeper) than 200 levels/s),
    ]);
    expect(w.session.lastText()).toBe("later");
    expect(journalError(w.session.journal)).toBeUndefined();
    await w.finish();
  });

  it("150 levels deep are run", async () => {
    const look = tool("look", () => "ran");
    const w = await wire(dialect, [turn.calls([{ name: "look", rawArgs: deep(150) }]), turn.text("fine")], {
      profile: profileFor(dialect, [look]),
    });
    await w.session.submit("go");
    expect(w.of("tool_call_end")[0]?.data).toMatchObject({ is_error: false, output: "ran" });
    await w.finish();
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
