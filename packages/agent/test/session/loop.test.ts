import { AuthenticationError, ContextLengthError } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { echo, type Setup, type SetupOptions, setUp, testProfile, tool } from "../support/session.ts";

const callEcho = (n: number) => ({ calls: [{ name: "echo", args: { n } }] });

describe("one input", () => {
  it("RN-01 D-001 D-002 call, two calls, text: three requests and events in order", async () => {
    const s = setUp({
      script: [
        callEcho(1),
        {
          calls: [
            { name: "echo", args: { n: 2 } },
            { name: "echo", args: { n: 3 } },
          ],
        },
        { text: "done" },
      ],
    });
    await s.session.submit("go");
    expect(s.client.requests).toHaveLength(3);
    expect(s.session.history.map((turn) => turn.kind)).toEqual([
      "user",
      "assistant",
      "tool_results",
      "assistant",
      "tool_results",
      "assistant",
    ]);
    await s.finish();
    const brackets = s.kinds().filter((kind) => !["entry", "state_changed"].includes(kind) && !kind.endsWith("_delta"));
    const turn = ["turn_start", "assistant_text_start", "assistant_text_end"];
    expect(brackets).toEqual([
      "session_start",
      "user_input",
      ...turn,
      "tool_call_start",
      "tool_call_end",
      "turn_end",
      ...turn,
      "tool_call_start",
      "tool_call_start",
      "tool_call_end",
      "tool_call_end",
      "turn_end",
      ...turn,
      "turn_end",
      "processing_end",
      "session_end",
    ]);
  });

  it("D-003 RN-06 a text answer ends the input with the reason completed and the session idle", async () => {
    const s = setUp({ script: [{ text: "hello there", reasoning: "thinking" }] });
    await s.session.submit("hi");
    expect(s.session.state).toBe("idle");
    await s.finish();
    expect(s.of("processing_end").map((event) => event.data)).toEqual([
      {
        reason: "completed",
        rounds: 0,
        usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
        cost: 0,
        followups_pending: 0,
      },
    ]);
    expect(s.of("assistant_text_end")[0]?.data).toMatchObject({ text: "hello there", reasoning: "thinking" });
    expect(
      s
        .of("assistant_text_delta")
        .map((event) => event.data.delta)
        .join(""),
    ).toBe("hello there");
  });

  it.each([
    ["round_limit", { script: () => callEcho(1), config: { maxToolRoundsPerInput: 1 } }],
    ["turn_limit", { script: () => callEcho(1), config: { maxTurns: 1 } }],
    ["interrupted", { script: [{ text: "a b" }] }],
    ["context_overflow", { script: [{ error: new ContextLengthError("too long", { provider: "test" }) }] }],
    ["error", { script: [{ error: new AuthenticationError("bad key", { provider: "test" }) }] }],
    ["aborted", { script: [{ text: "a b" }] }],
  ] satisfies [string, SetupOptions][])(
    "RN-06 %s is the reason in the event and the outcome",
    async (reason, options) => {
      const s = setUp(options);
      const stop = { interrupted: () => s.session.interrupt(), aborted: () => s.session.abort() }[reason];
      const outcome = s.session.submit("go");
      void stop?.();
      expect(await outcome).toMatchObject({ reason });
      expect(s.session.state).toBe(reason === "aborted" ? "closed" : "idle");
      await s.finish();
      expect(s.of("processing_end").map(({ data }) => data.reason)).toEqual([reason]);
    },
  );

  it("D-004 U-01 two rounds are the limit of an endless caller; 0 means none", async () => {
    const limited = setUp({
      script: () => callEcho(1),
      config: { maxToolRoundsPerInput: 2, enableLoopDetection: false },
    });
    await limited.session.submit("go");
    await limited.finish();
    expect(limited.client.requests).toHaveLength(2);
    expect(limited.of("turn_limit").map((event) => event.data)).toEqual([{ round: 2 }]);
    expect(limited.of("processing_end")[0]?.data).toMatchObject({ reason: "round_limit", rounds: 2 });

    const free = setUp({ script: (_request, index) => (index < 50 ? callEcho(index) : { text: "done" }) });
    await free.session.submit("go");
    await free.finish();
    expect(free.of("processing_end")[0]?.data).toMatchObject({ reason: "completed", rounds: 50 });
  });

  it("D-005 the turn limit counts over two inputs", async () => {
    const s = setUp({
      script: (_request, index) => (index % 2 === 0 ? callEcho(index) : { text: "ok" }),
      config: { maxTurns: 3 },
    });
    await s.session.submit("one");
    await s.session.submit("two");
    await s.finish();
    expect(s.client.requests).toHaveLength(3);
    expect(s.of("turn_limit").map((event) => event.data)).toEqual([{ total_turns: 3 }]);
    expect(s.of("processing_end").map((event) => event.data.reason)).toEqual(["completed", "turn_limit"]);
  });

  it("D-008 U-02 three inputs in a row: each has its processing_end, session_end comes once at close", async () => {
    const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }] });
    for (const input of ["1", "2", "3"]) await s.session.submit(input);
    expect(s.of("session_end")).toHaveLength(0);
    expect(s.client.requests.map((request) => request.messages.length)).toEqual([2, 4, 6]);
    await s.finish();
    expect(s.of("processing_end")).toHaveLength(3);
    expect(s.of("session_end")).toHaveLength(1);
  });

  it("RN-01 an answer at the output limit and a filtered one are warned about; an incomplete call is not run", async () => {
    let ran = 0;
    const count = { ...echo, name: "count", execute: () => String(++ran) };
    const s = setUp({
      profile: testProfile([count]),
      script: [
        { calls: [{ name: "count" }, { name: "count" }], finish: "length" },
        { text: "x", finish: "content_filter" },
      ],
    });
    await s.session.submit("go");
    await s.finish();
    expect(ran).toBe(1);
    expect(s.of("warning").map((event) => event.data.code)).toEqual(["length", "content_filter"]);
    expect(s.of("tool_call_end").find((event) => event.data.is_error)?.data.error).toContain("not run");
  });
});

describe("a session", () => {
  it("SN-01 is busy while it works and refuses everything when closed", async () => {
    const s = setUp({ script: [{ text: "a", before: () => new Promise(() => {}) }] });
    const running = s.session.submit("1");
    await expect(s.session.submit("2")).rejects.toThrow("session is busy");
    await s.session.abort();
    await running;
    await expect(s.session.submit("3")).rejects.toThrow("session is closed");
    expect(() => s.session.steer("x")).toThrow("session is closed");
    await s.finish();
  });

  it("SN-02 reports exactly the contract's defaults and names a wrong setting", () => {
    const { session } = setUp({ script: [], config: { prefixBug: "report", retry: { baseDelay: 1 } } });
    expect(session.config).toMatchObject({
      maxTurns: 0,
      maxToolRoundsPerInput: 0,
      defaultCommandTimeoutMs: 10_000,
      maxCommandTimeoutMs: 600_000,
      reasoningEffort: undefined,
      toolOutputLimits: {},
      toolLineLimits: {},
      toolOutputModes: {},
      enableLoopDetection: true,
      loopDetectionWindow: 10,
      maxSubagentDepth: 1,
      retry: { maxRetries: 2, baseDelay: 1, maxDelay: 60, backoffMultiplier: 2, jitter: true },
    });
    expect(() => setUp({ script: [], config: { maxTurns: -1 } })).toThrow(/maxTurns/);
    expect(() => setUp({ script: [], config: { loopDetectionWindow: 1.5 } })).toThrow(/loopDetectionWindow/);
    expect(() => {
      session.config.maxSubagentDepth = -2;
    }).toThrow(/maxSubagentDepth/);
    expect(() => Object.assign(session.config, { maxTruns: 1 })).toThrow(/maxTruns/);
    expect(() => Object.assign(session.config, { retry: { midStream: 0.5 } })).toThrow(/retry\.midStream/);
    expect(() => Object.assign(session.config, { retry: { baseDelay: -1 } })).toThrow(/retry\.baseDelay/);
    expect(() => Object.assign(session.config, { budget: { usd: Number.NaN } })).toThrow(/budget\.usd/);
    expect(() => Object.assign(session.config, { toolOutputModes: { shell: "middle" } })).toThrow(
      'toolOutputModes.shell must be one of head_tail, tail, head, not "middle"',
    );
  });

  const ask: ToolDef = {
    ...echo,
    name: "ask",
    execute: (_args, context) => {
      context.services.session?.awaitInput({ what: "question", text: "which colour?" });
      return "asked";
    },
  };

  it("SN-03 a queued message is no answer to a question: it waits until the user has given one", async () => {
    const script = [{ calls: [{ name: "ask" }] }, { text: "thanks" }, { text: "later done" }];
    const s = setUp({ profile: testProfile([ask]), script });
    s.session.followUp("later");
    await s.session.submit("x");
    expect(s.session.state).toBe("awaiting_input");
    await s.session.submit("blue");
    await s.finish();
    expect(s.of("user_input").map(({ data }) => data.content)).toEqual(["x", "blue", "later"]);
  });

  it("SN-03 a tool that asks the user ends the input and waits", async () => {
    const s = setUp({ profile: testProfile([ask]), script: [{ calls: [{ name: "ask" }] }, { text: "thanks" }] });
    await s.session.submit("x");
    expect(s.session.state).toBe("awaiting_input");
    expect(s.client.requests).toHaveLength(1);
    await s.session.submit("blue");
    await s.finish();
  });
});

describe("loop detection", () => {
  it("RN-07 a call that returns pictures may be repeated, because they may differ", async () => {
    const image = { data: new Uint8Array([1]), mediaType: "image/png" };
    const look = tool("look", () => ({ content: [{ kind: "image", image }] }));
    const script = (_request: unknown, index: number) =>
      index < 55 ? { calls: [{ name: "look", id: `l${index}` }] } : { text: "it is ready" };
    const s = setUp({ profile: testProfile([look]), script });
    expect(await s.session.submit("watch it")).toMatchObject({ reason: "completed", text: "it is ready" });
    await s.finish();
  });

  const pattern = (letters: string) => ({
    script: (_request: unknown, index: number) =>
      index < letters.length ? { calls: [{ name: "echo", args: { is: letters[index]! } }] } : { text: "done" },
  });
  it.each([
    ["AAAAAAAAAA", 1],
    ["ABABABABAB", 1],
    ["ABCABCABCABC", 1],
    ["ABCDEFGHIJ", 0],
    ["AAAAAAAAAAAAAAAAAAAA", 2],
  ])("RN-07 D-007 %s is warned about %i times", async (letters, warnings) => {
    const s = setUp(pattern(letters));
    await s.session.submit("go");
    await s.finish();
    expect(s.of("loop_detection")).toHaveLength(warnings);
    const steering = s.session.history.filter((turn) => turn.kind === "steering");
    expect(steering).toHaveLength(warnings);
    if (warnings === 0) return;
    expect(steering[0]).toMatchObject({
      content: "Loop detected: the last 10 tool calls follow a repeating pattern. Try a different approach.",
    });
  });

  it("RN-07 the warning comes with the tenth call and can be switched off", async () => {
    const s = setUp(pattern("ABCABCABCABCABC"));
    await s.session.submit("go");
    await s.finish();
    const before = s.events.slice(
      0,
      s.events.findIndex((event) => event.kind === "loop_detection"),
    );
    expect(before.filter((event) => event.kind === "tool_call_end")).toHaveLength(10);
    const off = setUp({ ...pattern("AAAAAAAAAAAA"), config: { enableLoopDetection: false } });
    await off.session.submit("go");
    await off.finish();
    expect(off.of("loop_detection")).toHaveLength(0);
  });
});

it("TR-05 warns between 80 and 85 % of the window, then once per five points", async () => {
  const window = 1000;
  const usage = (totalTokens: number) => ({ inputTokens: totalTokens - 5, outputTokens: 5, totalTokens });
  const fill = [700, 810, 830, 860];
  const s = setUp({
    profile: testProfile([echo], { contextWindowSize: window }),
    script: (_request, index) =>
      index < fill.length
        ? { calls: [{ name: "echo" }], usage: usage(fill[index]!) }
        : { text: "done", usage: usage(870) },
  });
  await s.session.submit("go");
  await s.finish();
  const warnings = s.of("warning").filter((event) => event.data.code === "context_usage");
  expect(warnings.map((event) => event.data.message)).toEqual([
    "Context usage at ~81% of context window",
    "Context usage at ~86% of context window",
  ]);
});

it("TR-05 without reported usage, a quarter of the characters counts, prompt and tools included", async () => {
  const s = setUp({
    profile: testProfile([echo], { contextWindowSize: 1000, buildSystemPrompt: () => "p".repeat(2800) }),
    script: [
      { calls: [{ name: "echo" }], usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
      { text: "done" },
    ],
  });
  await s.session.submit("q".repeat(400));
  await s.finish();
  expect(s.of("warning").map(({ data }) => data.message)).toEqual([
    expect.stringMatching(/^Context usage at ~8[0-9]% of context window$/),
  ]);
});

it("an answer belongs to the model that gave it, also when another was chosen while it came", async () => {
  const s: Setup = setUp({
    priceOf: (model) => (model === "scripted-1" ? 1 : 100),
    script: [
      { text: "from the first", midway: () => s.session.setProfile(testProfile([echo], { model: "scripted-2" })) },
      { text: "from the second" },
    ],
  });
  await s.session.submit("one");
  await s.session.submit("two");
  const answers = [...s.session.journal.entryIds()].flatMap((id) => {
    const entry = s.session.journal.entry(id);
    return entry.type === "message" && entry.message.role === "assistant" ? [[entry.model, entry.cost]] : [];
  });
  expect(answers).toEqual([
    ["scripted-1", 1],
    ["scripted-2", 100],
  ]);
  expect(s.client.requests.map((request) => request.model)).toEqual(["scripted-1", "scripted-2"]);
  await s.finish();
});
