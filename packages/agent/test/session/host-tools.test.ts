// What hosts hand to a session without types: tools that return odd things, hooks that break, inputs that name files.

import { describe, expect, it } from "vitest";
import { MemoryBlobs } from "../../src/blobs/store.ts";
import { MemoryEnvironment } from "../../src/env/memory.ts";
import { Journal } from "../../src/journal/journal.ts";
import { MemoryStore } from "../../src/journal/store.ts";
import type { CustomTool } from "../../src/registry/registry.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp } from "../support/session.ts";

const custom = (name: string, executor: () => unknown): CustomTool => ({
  definition: { name, description: name, parameters: { type: "object", properties: {} } },
  executor: executor as CustomTool["executor"],
});
const loop: { self?: unknown } = {};
loop.self = loop;

describe("a host's tools", () => {
  it.each([
    ["circular", loop],
    ["a function", { run: () => 1 }],
    ["a big integer", { size: 1n }],
  ])("details that are no JSON (%s) cost the details, not the session", async (_, details) => {
    const tools = [custom("odd", () => ({ output: "fine", details }))];
    const s = setUp({ tools, script: [{ calls: [{ name: "odd", args: {}, id: "c" }] }, { text: "done" }] });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("fine");
    expect(s.of("tool_call_end")[0]!.data.details).toBeUndefined();
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["tool_details"]);
  });

  it("a tool that returns nothing has done its work; one that returns something else gets an error", async () => {
    const tools = [custom("quiet", () => undefined), custom("number", () => 42)];
    const calls = ["quiet", "number"].map((name) => ({ name, args: {}, id: name }));
    const s = setUp({ tools, script: [{ calls }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("tool_call_end").map(({ data }) => [data.tool_name, data.is_error])).toEqual(
      expect.arrayContaining([
        ["quiet", false],
        ["number", true],
      ]),
    );
    expect(resultText(s.client.requests[1]!, "number")).toContain('neither text nor an object with "output"');
  });

  it("a hook that breaks at every delta is told of once an input", async () => {
    const middleware = [
      {
        name: "broken",
        onStreamEvent: () => {
          throw new Error("no");
        },
      },
      { name: "slow", onStreamEvent: () => Promise.reject(new Error("later")) },
    ];
    const s = setUp({ middleware, script: [{ text: "one two three four five" }, { text: "again and again" }] });
    await s.session.submit("a");
    await s.session.submit("b");
    await s.finish();
    expect(s.of("warning").map((event) => event.data.message)).toEqual([
      "the hook broken.onStreamEvent failed: no",
      "the hook slow.onStreamEvent failed: later",
      "the hook broken.onStreamEvent failed: no",
      "the hook slow.onStreamEvent failed: later",
    ]);
  });
});

describe("files that an input names", () => {
  const image = (url: string) => ({ kind: "image" as const, image: { url } });
  const png = "\x89PNG\r\n";

  it("are read when it comes and kept in the journal, whatever becomes of them", async () => {
    const env = new MemoryEnvironment({ files: { "/place/a.png": png }, cwd: "/place" });
    const store = new MemoryStore();
    const journal = Journal.create({ id: "s", cwd: "/place" }, () => store, {
      blobs: new MemoryBlobs(),
      now: () => 0,
      newId: ids(),
    });
    const s = setUp({ env, journal, script: [{ text: "seen" }, { text: "again" }, { text: "third" }] });
    await s.session.submit([{ kind: "text", text: "look" }, image("/place/a.png")]);
    s.session.followUp([image("/place/none.png"), { kind: "text", text: "and this" }]);
    await s.session.continue();
    await s.finish();
    const sent = s.client.requests[1]!.messages.flatMap(({ content }) => content);
    const kept = sent.find((part) => part.kind === "image");
    expect(kept?.kind === "image" && [kept.image.mediaType, kept.image.url]).toEqual(["image/png", undefined]);
    expect(sent).toContainEqual({ kind: "text", text: "[The file /place/none.png cannot be read.]" });
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["unreadable_file"]);
  });

  it("and that cannot be read are refused at once, and the session continues without them", async () => {
    const s = setUp({ env: new MemoryEnvironment(), script: [{ text: "fine" }] });
    await expect(s.session.submit([image("/none.png")])).rejects.toThrow("The file /none.png cannot be read.");
    await s.session.submit("then without");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["completed"]);
    expect(s.client.requests).toHaveLength(1);
  });
});

function ids(): () => string {
  let last = 0;
  return () => `entry${String(++last).padStart(3, "0")}`;
}
