import { describe, expect, it } from "vitest";
import { type ToolDef, ToolFailure } from "../../src/contract/tool.ts";
import { resultText } from "../support/scripted-client.ts";
import { echo, type Setup, setUp, testProfile, tool, withoutToolGrace } from "../support/session.ts";

const numbers = tool("add", (args) => String(Number(args["a"]) + Number(args["b"])), {
  schema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "integer" }, loud: { type: "boolean" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
});

describe("one call", () => {
  it("RN-03 D-015 D-016 D-017 D-018 unknown, invalid, throwing and good: four results, three errors", async () => {
    const boom = tool("boom", () => {
      throw new Error("no such luck");
    });
    const profile = testProfile([numbers, boom, echo]);
    const s = setUp({
      profile,
      script: [
        {
          calls: [
            { name: "nope", id: "c1" },
            { name: "add", id: "c2", args: { a: "many", b: 1 } },
            { name: "boom", id: "c3" },
            { name: "echo", id: "c4", args: { x: 1 } },
          ],
        },
        { text: "done" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    const request = s.client.requests[1]!;
    expect(resultText(request, "c1")).toBe("Unknown tool: nope");
    expect(resultText(request, "c2")).toBe('Invalid arguments for tool: add\na must be a number, not "many"');
    expect(resultText(request, "c3")).toBe("Tool error (boom): no such luck");
    expect(resultText(request, "c4")).toBe('echo {"x":1}');
    expect(s.of("tool_call_start")).toHaveLength(4);
    expect(s.of("tool_call_end").filter((event) => event.data.is_error)).toHaveLength(3);
  });

  it("RN-03 near-miss arguments are repaired, never guessed at", async () => {
    const s = setUp({
      profile: testProfile([numbers]),
      script: [
        {
          calls: [
            { name: "add", id: "c1", args: { a: "2.5", b: "4", loud: "true" } },
            { name: "add", id: "c2", raw: '{"a": 1, "b": 2,}' },
            { name: "add", id: "c3", args: { a: 1, b: "2.5" } },
            { name: "add", id: "c4", raw: '{"a": 1, "b": ' },
            { name: "add", id: "c5", args: { a: 1, b: 1, loud: null } },
          ],
        },
        { text: "done" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    const texts = ["c1", "c2", "c3", "c4", "c5"].map((id) => resultText(s.client.requests[1]!, id));
    expect(texts[0]).toBe("6.5");
    expect(texts[1]).toBe("3");
    expect(texts[2]).toMatch(/^Invalid arguments for tool: add\nb /);
    expect(texts[3]).toMatch(/^Invalid arguments for tool: add\nthe arguments are not a JSON object/);
    expect(texts[4]).toBe("2");
  });

  it("RN-03 a ToolFailure's text reaches the model as it is, its details the host", async () => {
    const picky = tool("picky", () => {
      throw new ToolFailure("say please", { manners: false });
    });
    const s = setUp({
      profile: testProfile([picky]),
      script: [{ calls: [{ name: "picky", id: "c" }] }, { text: "ok" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("say please");
    expect(s.of("tool_call_end")[0]?.data).toMatchObject({ error: "say please", details: { manners: false } });
  });

  it("U-08 commands get the profile's time before the session's, and a changed setting counts at once", async () => {
    const times = tool("times", (_args, { services }) => JSON.stringify(services.commandTimes));
    const run = async (profile: Parameters<typeof testProfile>[1]) => {
      const s = setUp({
        profile: testProfile([times], profile),
        script: [{ calls: [{ name: "times", id: "c1" }] }, { calls: [{ name: "times", id: "c2" }] }, { text: "ok" }],
        onEvent: (event) => {
          if (event.kind === "turn_end") s.session.config.defaultCommandTimeoutMs = 5000;
        },
      });
      await s.session.submit("go");
      await s.finish();
      return ["c1", "c2"].map((id) => JSON.parse(resultText(s.client.requests[2]!, id)).defaultMs);
    };
    expect(await run({})).toEqual([10_000, 5000]);
    expect(await run({ shellTimeoutMs: 120_000 })).toEqual([120_000, 120_000]);
  });

  it("a tool that breaks before it runs is answered like any other", async () => {
    const broken = tool("broken", () => "never", {
      tier: () => {
        throw new Error("no tier today");
      },
    });
    const s = setUp({
      profile: testProfile([broken]),
      script: [{ calls: [{ name: "broken", id: "c" }] }, { text: "ok" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("Tool error (broken): no tier today");
  });

  it("many calls at once do not look like a leak to Node", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const listens = tool("listens", async (_args, { signal }) => {
      for (let n = 0; n < 20; n++) signal.addEventListener("abort", () => {});
      await new Promise((resolve) => setImmediate(resolve));
      return "heard";
    });
    const s = setUp({
      profile: testProfile([listens]),
      script: [
        { calls: Array.from({ length: 20 }, (_value, n) => ({ name: "listens", id: `c${n}` })) },
        { text: "done" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("calls that a server gave the same id are told apart", async () => {
    const s: Setup = setUp({
      middleware: [{ name: "asks", approve: () => ({ decision: "ask" }) }],
      script: [
        { calls: ["a", "b", "c"].map((say) => ({ name: "echo", id: "call", args: { say } })) },
        { text: "done" },
      ],
      onEvent: (event) => {
        if (event.kind !== "approval_request") return;
        queueMicrotask(() => s.session.answerApproval(event.data.call_id, { decision: "allow", by: "user" }));
      },
    });
    await s.session.submit("go");
    await s.finish();
    const texts = ["call", "call_2", "call_3"].map((id) => resultText(s.client.requests[1]!, id));
    expect(texts).toEqual(["a", "b", "c"].map((say) => `echo {"say":"${say}"}`));
  });

  it("a tool that returns nothing is answered with an error that says so", async () => {
    const s = setUp({
      profile: testProfile([tool("silent", (() => undefined) as never)]),
      script: [{ calls: [{ name: "silent", id: "c" }] }, { text: "done" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("Tool error (silent): it returned neither text nor a result");
  });

  it("a call that overruns its deadline is answered, also when the tool does not listen", async () => {
    const deaf = tool("deaf", () => new Promise<string>(() => {}), { timeoutMs: 20 });
    const script = [{ calls: [{ name: "deaf", id: "c" }] }, { text: "ok" }];
    const s = setUp({ profile: testProfile([deaf]), script, deps: withoutToolGrace() });
    await s.session.submit("go");
    await s.finish();
    expect(resultText(s.client.requests[1]!, "c")).toBe("Tool error (deaf): tool deaf did not finish within 20 ms");
  });

  it("partial output goes to the events, not to the model", async () => {
    const chatty = tool("chatty", (_args, { onOutput }) => {
      onOutput("one ", "stdout");
      onOutput("two", "stderr");
      return "result";
    });
    const s = setUp({
      profile: testProfile([chatty]),
      script: [{ calls: [{ name: "chatty", id: "c" }] }, { text: "ok" }],
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.of("tool_call_output_delta").map((event) => event.data)).toEqual([
      { call_id: "c", delta: "one ", stream: "stdout" },
      { call_id: "c", delta: "two", stream: "stderr" },
    ]);
    expect(resultText(s.client.requests[1]!, "c")).toBe("result");
  });

  it("EV-01 D-029 D-053 D-078 100 KB of output: all of it in the event, the marker and an artifact for the model; beyond 1 MiB the event has its ends", async () => {
    const big = tool("big", (args) => `${"x".repeat(Number(args["size"]) - 7)}the end`);
    const s = setUp({
      profile: testProfile([big]),
      script: [
        {
          calls: [
            { name: "big", id: "c1", args: { size: 100_000 } },
            { name: "big", id: "c2", args: { size: 3 << 20 } },
          ],
        },
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    const [first, second] = s.of("tool_call_end").map((event) => event.data);
    expect(first?.output).toHaveLength(100_000);
    expect(resultText(s.client.requests[1]!, "c1")).toContain("[WARNING: Tool output was truncated. 70000 characters");
    expect(second?.output).toHaveLength(1 << 20);
    expect(second?.output).toMatch(/or more characters are omitted here .*\n.*the end$/s);
    expect([first?.artifact, second?.artifact]).toEqual([
      { id: expect.any(Number), bytes: 100_000 },
      { id: expect.any(Number), bytes: 3 << 20 },
    ]);
  });
});

describe("a batch", () => {
  /** A tool that notes when it starts and ends, and waits for a tick in between. */
  const noting = (log: string[], more = {}) =>
    tool(
      "note",
      async (args) => {
        log.push(`start ${args["n"]}`);
        await new Promise((resolve) => setTimeout(resolve, 5 - Number(args["n"])));
        log.push(`end ${args["n"]}`);
        return String(args["n"]);
      },
      more,
    );
  const three = { calls: [1, 2, 3].map((n) => ({ name: "note", id: `c${n}`, args: { n } })) };
  const order = (request: { messages: readonly { role: string; toolCallId?: string | undefined }[] }) =>
    request.messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));

  it("RN-02 hundreds of calls in one answer run within 32 lanes, and each is answered", async () => {
    let running = 0;
    let most = 0;
    const busy = tool("busy", async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return "ok";
    });
    const calls = Array.from({ length: 300 }, (_, n) => ({ name: "busy", id: `c${n}` }));
    const s = setUp({ profile: testProfile([busy]), script: [{ calls }, { text: "done" }] });
    await s.session.submit("go");
    await s.finish();
    expect(most).toBe(32);
    expect(s.of("tool_call_end")).toHaveLength(300);
  });

  it("RN-02 D-019 D-068 all calls start together and are answered in call order", async () => {
    const log: string[] = [];
    const s = setUp({ profile: testProfile([noting(log)]), script: [three, { text: "ok" }] });
    await s.session.submit("go");
    await s.finish();
    expect(log.slice(0, 3)).toEqual(["start 1", "start 2", "start 3"]);
    expect(order(s.client.requests[1]!)).toEqual(["c1", "c2", "c3"]);
  });

  it.each([
    ["the profile is serial", { supportsParallelToolCalls: false }, {}],
    ["the tool is exclusive", {}, { exclusive: true }],
  ])("RN-02 D-019 one after another when %s", async (_why, profile, more) => {
    const log: string[] = [];
    const s = setUp({ profile: testProfile([noting(log, more)], profile), script: [three, { text: "ok" }] });
    await s.session.submit("go");
    await s.finish();
    expect(log).toEqual(["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
  });

  it("RN-02 an edit and a command behind it in one answer: the command sees the edit", async () => {
    const log: string[] = [];
    const named = (name: string, tier: "write" | "exec") => ({ ...noting(log), name, tier });
    const calls = ["run", "run", "edit", "edit", "run"].map((name, i) => ({ name, id: `c${i}`, args: { n: i } }));
    const s = setUp({
      profile: testProfile([named("run", "exec"), named("edit", "write")]),
      script: [{ calls }, { text: "ok" }],
    });
    await s.session.submit("go");
    await s.finish();
    const at = (what: string) => log.indexOf(what);
    expect(at("start 1")).toBeLessThan(at("end 0"));
    expect(at("start 2")).toBeGreaterThan(Math.max(at("end 0"), at("end 1")));
    expect(at("start 3")).toBeLessThan(at("end 2"));
    expect(at("start 4")).toBeGreaterThan(Math.max(at("end 2"), at("end 3")));
  });

  it("RN-02 a command waits for an edit also when one of the two tools tells its tier from the arguments", async () => {
    const tiers: readonly (readonly [ToolDef["tier"], ToolDef["tier"]])[] = [
      [() => "write", "exec"],
      ["write", () => "exec"],
    ];
    for (const [edit, run] of tiers) {
      const log: string[] = [];
      const s = setUp({
        profile: testProfile([
          { ...noting(log), name: "edit", tier: edit },
          { ...noting(log), name: "run", tier: run },
        ]),
        script: [{ calls: ["edit", "run"].map((name, n) => ({ name, id: `c${n}`, args: { n } })) }, { text: "ok" }],
      });
      await s.session.submit("go");
      await s.finish();
      expect(log).toEqual(["start 0", "end 0", "start 1", "end 1"]);
    }
  });
});

describe("the tool set", () => {
  it("PR-03 D-013 D-014 a custom tool is offered and called, one of the same name replaces in place", async () => {
    const profile = testProfile([echo, numbers]);
    profile.toolRegistry.register({
      name: "run_tests",
      label: "Run tests",
      description: "Runs them.",
      schema: { type: "object", properties: {} },
      tier: "exec",
      replay: "never",
      execute: () => ({ content: [{ kind: "text", text: "all green" }], details: { passed: 3 } }),
    });
    profile.toolRegistry.register(tool("echo", () => "mine"));
    const s = setUp({
      profile,
      script: [
        {
          calls: [
            { name: "run_tests", id: "c1" },
            { name: "echo", id: "c2" },
          ],
        },
        { text: "ok" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests[0]!.tools?.map((definition) => definition.name)).toEqual(["echo", "add", "run_tests"]);
    expect(resultText(s.client.requests[1]!, "c1")).toBe("all green");
    expect(resultText(s.client.requests[1]!, "c2")).toBe("mine");
  });

  it("may change between two rounds, and the change is a stated reason for a new prefix", async () => {
    const s = setUp({
      script: (_request, index) => {
        if (index === 0) {
          s.session.registerTool(tool("late", () => "here I am"));
          return { calls: [{ name: "echo" }] };
        }
        return index === 1 ? { calls: [{ name: "late", id: "c" }] } : { text: "ok" };
      },
    });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests.map((request) => request.tools?.length)).toEqual([1, 2, 2]);
    expect(resultText(s.client.requests[2]!, "c")).toBe("here I am");
    expect(s.of("prefix_changed").map((event) => event.data.reason)).toEqual(["tools"]);
  });

  it("the tool choice is forced for one request only", async () => {
    const s = setUp({ script: [{ calls: [{ name: "echo" }] }, { text: "ok" }] });
    s.session.forceToolChoice({ mode: "named", toolName: "echo" });
    await s.session.submit("go");
    await s.finish();
    expect(s.client.requests.map((request) => request.toolChoice)).toEqual([
      { mode: "named", toolName: "echo" },
      { mode: "auto" },
    ]);
  });
});
