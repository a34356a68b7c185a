// What hosts pass to a session without types: tools that return odd things, hooks that break, inputs that name files.

import { defineTool } from "@lathe/llm";
import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { MemoryBlobs } from "../../src/base/blobs/store.ts";
import { defineSessionTool } from "../../src/contract/registry/host-tool.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp, testProfile, tool } from "../support/session.ts";

const untyped = (name: string, execute: () => unknown): ToolDef => tool(name, execute as ToolDef["execute"]);
const NO_ARGUMENTS = { type: "object", properties: {} } as const;
const loop: { self?: unknown } = {};
loop.self = loop;

describe("a host's tools", () => {
  it("a tool prepares itself when the model begins to write a call; that it cannot costs nothing", async () => {
    const order: string[] = [];
    const ready = tool("ready", () => `step ${order.push("ready runs")}`, {
      prepare: async () => order.push("ready prepares"),
    });
    const broken = tool("broken", () => `step ${order.push("broken runs")}`, {
      prepare: () => {
        throw new Error("not today");
      },
    });
    const calls = [{ name: "ready" }, { name: "broken" }, { name: "missing" }];
    const s = setUp({ tools: [ready, broken], script: [{ calls }, { text: "done" }] });
    expect(await s.session.submit("go")).toMatchObject({ reason: "completed", text: "done" });
    expect(order).toEqual(["ready prepares", "ready runs", "broken runs"]);
    await s.finish();
  });

  it.each([
    ["circular", loop],
    ["a function", { run: () => 1 }],
    ["a big integer", { size: 1n }],
  ])("details that are no JSON (%s) cost the details, not the session", async (_, details) => {
    const tools = [untyped("odd", () => ({ content: [{ kind: "text", text: "fine" }], details }))];
    const s = setUp({ tools, script: [{ calls: [{ name: "odd", args: {}, id: "c" }] }, { text: "done" }] });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("fine");
    expect(s.of("tool_call_end")[0]!.data.details).toBeUndefined();
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["tool_details"]);
  });

  it("whatever a tool of @lathe/llm returns reaches the model as text; undefined is nothing to say", async () => {
    const outputs = { quiet: undefined, number: 42, list: ["a"], fields: { a: 1 }, nothing: null };
    const tools = Object.entries(outputs).map(([name, output]) =>
      defineTool({ name, description: name, parameters: NO_ARGUMENTS, execute: () => output }),
    );
    const calls = Object.keys(outputs).map((name) => ({ name, args: {}, id: name }));
    const s = setUp({ tools, script: [{ calls }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    const texts = Object.keys(outputs).map((name) => resultText(s.client.requests[1]!, name));
    expect(texts).toEqual(["", "42", '["a"]', '{"a":1}', "null"]);
  });

  it("a ToolDef that returns neither text nor a result is an error for the model", async () => {
    const tools = [untyped("number", () => 42)];
    const s = setUp({ tools, script: [{ calls: [{ name: "number", args: {}, id: "n" }] }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "n")).toContain("neither text nor a result");
  });

  it.each(["option", "registerTool", "provider", "profile"] as const)(
    "a tool made by defineTool is taken by every registration (%s) and knows its call",
    async (how) => {
      const weather = defineTool({
        name: "weather",
        description: "Tells the weather",
        parameters: z.object({ city: z.string().transform((city) => city.toUpperCase()), days: z.number().default(1) }),
        execute: ({ city, days }, { toolCallId, messages, abortSignal }) => {
          expectTypeOf(city).toEqualTypeOf<string>();
          return `${city} ${days} ${toolCallId} ${messages.at(-1)?.role} ${abortSignal.aborted}`;
        },
      });
      const provided = [weather];
      const profile = testProfile();
      const s = setUp({
        profile,
        script: [{ calls: [{ name: "weather", args: { city: "oslo" }, id: "w" }] }, { text: "done" }],
        ...(how === "option" ? { tools: [weather] } : {}),
        ...(how === "provider" ? { toolProviders: [{ tools: () => provided }] } : {}),
      });
      if (how === "registerTool") s.session.registerTool(weather);
      if (how === "profile") profile.toolRegistry.register(weather);
      await s.session.submit("go");
      await s.finish();
      expect(resultText(s.client.requests[1]!, "w")).toBe("OSLO 1 w assistant false");
      expect(s.of("prefix_changed")).toEqual([]);
    },
  );

  it.each([
    ["TypeBox", Type.Object({ n: Type.Number() })],
    ["zod", z.object({ n: z.number() })],
    ["JSON Schema", { type: "object", properties: { n: { type: "number" } }, required: ["n"] }],
  ] as const)("defineSessionTool gives typed arguments by %s, and the session's context", async (_, parameters) => {
    const double = defineSessionTool({
      name: "double",
      description: "Doubles",
      parameters,
      execute: ({ n }, { env, onOutput }) => {
        expectTypeOf(n).toEqualTypeOf<number>();
        onOutput("working", "stdout");
        return `${n * 2} in ${env.workingDirectory()}`;
      },
    });
    expect([double.label, double.tier, double.replay]).toEqual(["double", "exec", "never"]);
    const s = setUp({
      tools: [double],
      script: [{ calls: [{ name: "double", args: { n: 21 }, id: "d" }] }, { text: "" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "d")).toBe(`42 in ${s.session.env.workingDirectory()}`);
    expect(s.of("tool_call_output_delta").map(({ data }) => data.delta)).toEqual(["working"]);
  });

  it("what zod refuses beyond JSON Schema is an error for the model, without running the tool", async () => {
    const parameters = z.object({ n: z.number().refine((n) => n % 2 === 0, "is odd") });
    const never = (): string => {
      throw new Error("it ran");
    };
    const tools = [
      defineTool({ name: "short", description: "x", parameters, execute: never }),
      defineSessionTool({ name: "full", description: "x", parameters, execute: never }),
    ];
    const calls = tools.map(({ name }) => ({ name, args: { n: 3 }, id: name }));
    const s = setUp({ tools, script: [{ calls }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "short")).toBe("Invalid arguments for short: n: is odd.");
    expect(resultText(s.client.requests[1]!, "full")).toBe("Invalid arguments for tool: full\nn: is odd");
  });

  it("a tool without execute is refused when it is registered", () => {
    const s = setUp({ script: [] });
    const open = defineTool({ name: "open", description: "x", parameters: NO_ARGUMENTS });
    expect(() => s.session.registerTool(open)).toThrow("tool open has no execute");
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

it("T-SUB-1 a discoverable tool is offered where nothing hides it, and a provider may hide what another one brings", async () => {
  const found = tool("found", () => "ok", { loadMode: "discoverable" });
  const plain = setUp({ script: [{ text: "done" }], toolProviders: [{ tools: () => offer }] });
  const offer = [found];
  const hider = { tools: () => none, hides: ({ loadMode }: ToolDef) => loadMode === "discoverable" };
  const none: ToolDef[] = [];
  const hidden = setUp({ script: [{ text: "done" }], toolProviders: [{ tools: () => offer }, hider] });
  for (const s of [plain, hidden]) await s.session.submit("go");
  const names = (s: typeof plain) => s.client.requests[0]?.tools?.map(({ name }) => name);
  expect(names(plain)).toEqual(["echo", "found"]);
  expect(names(hidden)).toEqual(["echo"]);
  expect(hidden.session.knownTools().map(({ name }) => name)).toEqual(["echo", "found"]);
  for (const s of [plain, hidden]) await s.finish();
});
