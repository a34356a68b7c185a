import { textOf } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { ToolProvider } from "../../src/contract/registry/session-tools.ts";
import { SchemeRegistry } from "../../src/contract/seams/schemes.ts";
import type { Middleware } from "../../src/contract/seams/types.ts";
import type { ToolDef } from "../../src/contract/tool.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { resultText } from "../support/scripted-client.ts";
import { echo, setUp, testProfile, tool } from "../support/session.ts";

const callEcho = { calls: [{ name: "echo", id: "c", args: { say: "hi" } }] };

describe("seams", () => {
  it("onInput rewrites an input and may refuse one", async () => {
    const filter: Middleware = {
      name: "filter",
      onInput: ({ content }) =>
        content === "bad" ? { reject: "not that" } : { content: `[checked] ${String(content)}` },
    };
    const s = setUp({ script: [{ text: "ok" }], middleware: [filter] });
    await expect(s.session.submit("bad")).rejects.toThrow("not that");
    expect(s.session.state).toBe("idle");
    await s.session.submit("good");
    await s.finish();
    expect(textOf(s.client.requests[0]!.messages.at(-1)!)).toBe("[checked] good");
  });

  it("beforeRequest changes the request or demands a compaction, which stands in for older history", async () => {
    let seen = 0;
    const compactor: Middleware = {
      name: "compactor",
      beforeRequest: ({ request, entryIds }) => {
        seen += 1;
        if (seen === 3)
          return { compact: { reason: "test", summary: "we said hi", firstKeptEntryId: entryIds.at(-1)! } };
        return { request: { ...request, metadata: { seen: String(seen) } } };
      },
    };
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }], middleware: [compactor] });
    for (const input of ["1", "2", "3"]) await s.session.submit(input);
    await s.finish();
    expect(s.client.requests[1]!.metadata).toEqual({ seen: "2" });
    const texts = s.client.requests[2]!.messages.map(textOf);
    expect(texts).toEqual(["You are a test.", expect.stringContaining("we said hi"), "3"]);
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["compaction"]);
    expect(s.kinds()).toContain("compaction_end");
  });

  it("beforeCompact may change the plan or call it off", async () => {
    const plan = { reason: "host", summary: "long story", firstKeptEntryId: "" };
    const guard: Middleware = {
      name: "guard",
      beforeCompact: (given) =>
        given.reason === "never" ? { cancel: "keep it" } : { plan: { ...given, summary: "short" } },
    };
    const s = setUp({ script: [{ text: "a" }, { text: "b" }], middleware: [guard] });
    await s.session.submit("1");
    const first = s.session.journal.leaf!;
    expect(await s.session.compact({ ...plan, reason: "never", firstKeptEntryId: first })).toEqual({
      problem: "keep it",
    });
    expect(await s.session.compact({ ...plan, firstKeptEntryId: first })).toEqual({});
    await s.session.submit("2");
    await s.finish();
    expect(s.client.requests[1]!.messages.map(textOf)[1]).toContain("short");
    expect(s.of("warning").map((event) => event.data.code)).toContain("compaction_cancelled");
  });

  it("onStreamEvent cuts a stream and injects a message", async () => {
    const rule: Middleware = {
      name: "no-foo",
      onStreamEvent: (event) =>
        event.type === "text_delta" && event.delta.includes("foo") ? { cut: "Do not say foo." } : undefined,
    };
    const s = setUp({ script: [{ text: "nice foobar, and more" }, { text: "sorry" }], middleware: [rule] });
    await s.session.submit("go");
    await s.finish();
    expect(textOf(s.client.requests[1]!.messages.at(-1)!)).toBe("Do not say foo.");
    expect(s.of("processing_end")[0]?.data.reason).toBe("completed");
    expect(s.client.open).toBe(0);
  });

  it("G-96 an answer that a hook refuses is gone: nothing of it in the next request, the journal or the transcript", async () => {
    const rule: Middleware = {
      name: "rules",
      onStreamEvent: (event, { journal }) =>
        event.type === "text_delta" && event.delta.includes("foo") && journal.context.state.injectedRules.length === 0
          ? { cut: "Do not say foo.", discard: "the rule no-foo was broken", rules: ["no-foo"] }
          : undefined,
    };
    const s = setUp({ script: [{ text: "nice foobar, and more" }, { text: "foo" }], middleware: [rule] });
    await s.session.submit("go");
    await s.finish();
    const [first, second] = s.client.requests;
    expect(second!.messages.slice(0, -1)).toEqual(first!.messages);
    expect(textOf(second!.messages.at(-1)!)).toBe("Do not say foo.");
    expect(s.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["no-foo"]]);
    expect(s.of("retry").map(({ data }) => [data.discards, data.message])).toEqual([
      [true, "the rule no-foo was broken"],
    ]);
    expect(s.of("assistant_text_end").map(({ data }) => data.text)).toEqual(["foo"]);
    expect(s.of("prefix_changed")).toEqual([]);
    expect(s.session.journal.context.state.injectedRules).toEqual(["no-foo"]);
  });

  it("G-96 the answer of a model that does not stream is refused as a whole", async () => {
    const rule: Middleware = {
      name: "rules",
      onStreamEvent: (event) =>
        event.type === "finish" && event.response.text.includes("foo")
          ? { cut: "Do not say foo.", discard: "the rule no-foo was broken" }
          : undefined,
    };
    const s = setUp({
      script: [{ text: "foo" }, { text: "bar" }],
      middleware: [rule],
      profile: testProfile([echo], { supportsStreaming: false }),
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests.at(-1)!.messages.map(textOf).slice(-2)).toEqual(["go", "Do not say foo."]);
  });

  it("a hook learns what a call would touch before the call is made", async () => {
    const seen: unknown[] = [];
    const look: Middleware = {
      name: "look",
      onStreamEvent: async (event, context) => {
        if (event.type === "tool_call_end") {
          const { toolCall } = event;
          seen.push(await context.accessOf(toolCall));
          seen.push(await context.accessOf({ ...toolCall, arguments: { nonsense: 1 } }));
          seen.push(await context.accessOf({ ...toolCall, name: "no_such_tool" }));
        }
        return undefined;
      },
    };
    const s = setUp({
      script: [{ calls: [{ name: "write_file", args: { file_path: "a.txt", content: "x" } }] }, { text: "done" }],
      middleware: [look],
      profile: testProfile([writeFileTool as unknown as ToolDef]),
    });
    await s.session.submit("go");
    await s.finish();
    const access = [expect.objectContaining({ kind: "write", path: expect.stringMatching(/\/a\.txt$/) })];
    expect(seen).toEqual([access, undefined, undefined]);
  });

  it("a slow stream hook is awaited", async () => {
    const rule: Middleware = {
      name: "slow",
      onStreamEvent: async (event) => {
        await new Promise((resolve) => setImmediate(resolve));
        return event.type === "text_delta" && event.delta.includes("x") ? { cut: "no x" } : undefined;
      },
    };
    const s = setUp({ script: [{ text: "ax" }, { text: "b" }], middleware: [rule] });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests).toHaveLength(2);
  });

  it("a slow stream hook does not keep events from the hooks after it", async () => {
    const seen: string[] = [];
    const slow: Middleware = { name: "slow", onStreamEvent: async () => undefined };
    const rule: Middleware = {
      name: "rule",
      onStreamEvent: (event) => {
        if (event.type === "text_delta") seen.push(event.delta);
        return undefined;
      },
    };
    const s = setUp({ script: [{ text: "hello" }], middleware: [slow, rule, slow] });
    await s.session.submit("go");
    await s.finish();
    expect(seen.join("")).toBe("hello");
  });

  it("beforeCall blocks and rewrites, afterCall changes the result", async () => {
    const hook: Middleware = {
      name: "hook",
      beforeCall: ({ args }) =>
        args["say"] === "no" ? { block: "blocked by policy" } : { args: { say: "rewritten" } },
      afterCall: (_call, result) => ({ ...result, content: [...result.content, { kind: "text", text: "(seen)" }] }),
    };
    const s = setUp({
      script: [
        {
          calls: [
            { name: "echo", id: "c1", args: { say: "no" } },
            { name: "echo", id: "c2", args: { say: "yes" } },
          ],
        },
        { text: "ok" },
      ],
      middleware: [hook],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c1")).toBe("blocked by policy");
    expect(resultText(s.client.requests[1]!, "c2")).toBe('echo {"say":"rewritten"}\n(seen)');
  });

  it("a hook that breaks or hangs blocks the call but nothing else", async () => {
    const broken: Middleware = { name: "broken", beforeCall: () => Promise.reject(new Error("oops")) };
    const s = setUp({ script: [callEcho, { text: "ok" }], middleware: [broken] });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("blocked because the hook broken failed: oops");

    const hanging: Middleware = { name: "hanging", timeoutMs: 10, onInput: () => new Promise(() => {}) };
    const h = setUp({ script: [{ text: "ok" }], middleware: [hanging] });
    await h.session.submit("go");
    await h.finish();
    expect(h.of("warning").map((event) => event.data)).toEqual([
      {
        code: "hook_failed",
        message: "the hook hanging.onInput failed: the hook hanging.onInput did not finish within 10 ms",
      },
    ]);
  });

  it("approve: deny beats ask beats allow; an ask goes to the host and is journalled", async () => {
    const allow: Middleware = { name: "allow", approve: () => ({ decision: "allow" }) };
    const ask: Middleware = {
      name: "ask",
      approve: ({ args }) => ({ decision: args["deny"] ? "deny" : "ask", reason: "rule 7" }),
    };
    const s = setUp({
      script: [
        {
          calls: [
            { name: "echo", id: "c1" },
            { name: "echo", id: "c2" },
            { name: "echo", id: "c3", args: { deny: true } },
          ],
        },
        { text: "ok" },
      ],
      middleware: [allow, ask],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        const decision = event.data.call_id === "c1" ? "allow" : "deny";
        queueMicrotask(() =>
          s.session.answerApproval(event.data.call_id, { decision, by: "user", reason: "my choice" }),
        );
      },
    });
    await s.session.submit("go");
    const decisions = [...s.session.journal.outside("decision")].map(({ callId, decision, by }) => [
      callId,
      decision,
      by,
    ]);
    await s.finish();
    expect(decisions).toContainEqual(["c1", "allow", "user"]);
    expect(decisions).toContainEqual(["c2", "deny", "user"]);
    expect(decisions).toContainEqual(["c3", "deny", "ask"]);
    expect(resultText(s.client.requests[1]!, "c1")).toBe("echo {}");
    expect(resultText(s.client.requests[1]!, "c2")).toBe("Denied by user: my choice. The call was not run.");
    expect(s.of("approval_settled")).toHaveLength(2);
  });

  it("an approval nobody gives ends with its deadline or with an interrupt", async () => {
    const ask: Middleware = { name: "ask", approve: () => ({ decision: "ask" }) };
    const timed = setUp({ script: [callEcho, { text: "ok" }], middleware: [ask], config: { approvalTimeoutMs: 10 } });
    await timed.session.submit("go");
    await timed.finish();
    expect(resultText(timed.client.requests[1]!, "c")).toContain("Denied by deadline");
    const s = setUp({
      script: [callEcho],
      middleware: [ask],
      onEvent: (event) => void (event.kind === "approval_request" && s.session.interrupt()),
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("processing_end")[0]?.data.reason).toBe("interrupted");
  });

  it("beforeStop may continue with a message", async () => {
    let stops = 0;
    const nag: Middleware = {
      name: "nag",
      beforeStop: () => (++stops === 1 ? { continueWith: "Run the tests first." } : undefined),
    };
    const s = setUp({ script: [{ text: "done" }, { text: "really done" }], middleware: [nag] });
    await s.session.submit("go");
    await s.finish();
    expect(textOf(s.client.requests[1]!.messages.at(-1)!)).toBe("Run the tests first.");
    expect(s.of("processing_end")).toHaveLength(1);
  });

  it("a tool provider appears mid-session and leaves again", async () => {
    const lists: ToolDef[][] = [[], [tool("remote", () => "from afar")]];
    let at = 0;
    const provider: ToolProvider = { tools: () => lists[at]! };
    const s = setUp({
      toolProviders: [provider],
      script: (_request, index) => {
        at = index === 0 ? 1 : 0;
        if (index === 0) return { calls: [{ name: "echo" }] };
        return index === 1 ? { calls: [{ name: "remote", id: "c" }] } : { text: "ok" };
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests.map((request) => request.tools?.map((definition) => definition.name))).toEqual([
      ["echo"],
      ["echo", "remote"],
      ["echo"],
    ]);
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["tools", "tools"]);
  });

  it("URL schemes are read and written through the session's registry", async () => {
    const notes = new Map([["a", "note a"]]);
    const read = tool("read", async (args, { services, signal }) => {
      const url = String(args["path"]);
      if (!services.schemes?.handles(url)) return "a file";
      return Buffer.from((await services.schemes.read(url, signal)).bytes).toString();
    });
    const write = tool("write", async (args, { services, signal }) => {
      await services.schemes?.write(String(args["path"]), String(args["text"]), signal);
      return "written";
    });
    const s = setUp({
      profile: testProfile([read, write]),
      schemes: {
        note: {
          read: async (url) => notes.get(url.slice("note://".length)) ?? "",
          write: async (url, content) => void notes.set(url.slice("note://".length), String(content)),
        },
      },
      script: [
        {
          calls: [
            { name: "read", id: "c1", args: { path: "note://a" } },
            { name: "read", id: "c2", args: { path: "src/a" } },
            { name: "write", id: "c3", args: { path: "note://b", text: "new" } },
            { name: "write", id: "c4", args: { path: "artifact://1", text: "new" } },
          ],
        },
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    const texts = ["c1", "c2", "c3", "c4"].map((id) => resultText(s.client.requests[1]!, id));
    expect(texts).toEqual(["note a", "a file", "written", "Tool error (write): artifact://1 is read only"]);
    expect(notes.get("b")).toBe("new");
    await expect(new SchemeRegistry().read("x://y", AbortSignal.timeout(1000))).rejects.toThrow(
      "nothing here resolves x://y",
    );
  });

  it("G-25 a custom entry is state the model never sees, a custom message is text it does", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }] });
    await s.session.submit("1");
    s.session.appendCustom("my-extension", { secret: 42 });
    s.session.appendCustomMessage("my-extension", "the build is red");
    await s.session.submit("2");
    expect([...s.session.customEntries("my-extension")].map((entry) => entry.data)).toEqual([{ secret: 42 }]);
    await s.finish();
    const sent = JSON.stringify(s.client.requests[1]!.messages);
    expect(sent).toContain("the build is red");
    expect(sent).not.toContain("secret");
  });

  it("facts that tools keep are read back on the same branch", async () => {
    const todo = tool("todo", (args, { services }) => {
      const before = services.facts?.read("todo") ?? null;
      if (args["set"] !== undefined) void services.facts?.write("todo", args["set"]!);
      return JSON.stringify(before);
    });
    const s = setUp({
      profile: testProfile([todo, echo]),
      script: [
        { calls: [{ name: "todo", id: "c1", args: { set: "first" } }] },
        { text: "ok" },
        { calls: [{ name: "todo", id: "c2" }] },
        { text: "ok" },
        { calls: [{ name: "todo", id: "c3" }] },
        { text: "ok" },
      ],
    });
    await s.session.submit("1");
    await s.session.submit("2");
    s.session.moveTo(null);
    await s.session.submit("3");
    await s.finish();
    expect(resultText(s.client.requests[3]!, "c2")).toBe('"first"');
    expect(resultText(s.client.requests[5]!, "c3")).toBe("null");
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["branch"]);
  });
});
