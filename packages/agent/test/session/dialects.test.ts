import { gate, type RecordedRequest, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { echo, tool } from "../support/session.ts";
import { DIALECTS, profileFor, wire } from "../support/wire.ts";

const echoCall = (n: number) => ({ name: "echo", args: { n }, id: `c${n}` });

const OVERFLOW = {
  openai: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
  anthropic: { message: "prompt is too long: 210000 tokens > 200000 maximum" },
  gemini: { message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)." },
};

describe.each(DIALECTS)("over %s", (dialect) => {
  it("a picture in a tool result reaches the model", async () => {
    const data = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
    const shot = tool("shot", () => ({
      content: [
        { kind: "text", text: "the screen" },
        { kind: "image", image: { data, mediaType: "image/png" } },
      ],
    }));
    const profile = profileFor(dialect, [shot]);
    const w = await wire(dialect, [turn.calls([{ name: "shot", id: "c1" }]), turn.text("seen")], { profile });
    await w.session.submit("look");
    await w.finish();
    expect(w.server.requests[1]!.view.messages.reduce((sum, { images }) => sum + images, 0)).toBe(1);
    expect(JSON.stringify(w.server.requests[1]!.body)).toContain(Buffer.from(data).toString("base64"));
  });

  it("D-002 D-068 call, two calls, text: three requests, every result under its call", async () => {
    const w = await wire(dialect, [
      turn.calls([echoCall(1)]),
      turn.calls([echoCall(2), echoCall(3)]),
      turn.text("done"),
    ]);
    await w.session.submit("go");
    expect(w.session.state).toBe("idle");
    await w.finish();
    expect(w.server.requests).toHaveLength(3);
    const answers = w.server.requests[2]!.view.messages.flatMap((message) =>
      message.results.map((result) => result.text),
    );
    expect(answers).toEqual(['echo {"n":1}', 'echo {"n":2}', 'echo {"n":3}']);
    expect(w.of("assistant_text_end").at(-1)?.data.text).toBe("done");
    expect(w.of("processing_end")[0]?.data.usage.totalTokens).toBeGreaterThan(0);
  });

  it("D-016 D-017 D-018 D-055 D-073 failures are error results on the wire and the model continues", async () => {
    const strict = tool("strict", () => "never", {
      schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
    });
    const boom = tool("boom", () => {
      throw new Error("bang");
    });
    const w = await wire(
      dialect,
      [
        turn.calls([{ name: "missing", id: "c1" }]),
        turn.calls([{ name: "strict", args: { n: "x" }, id: "c2" }]),
        turn.calls([{ name: "boom", id: "c3" }]),
        turn.text("recovered"),
      ],
      { profile: profileFor(dialect, [strict, boom]) },
    );
    await w.session.submit("go");
    await w.finish();
    expect(w.result(1, "c1", "missing").text).toContain("Unknown tool: missing");
    expect(w.result(2, "c2", "strict").text).toContain("Invalid arguments for tool: strict");
    expect(w.result(3, "c3", "boom").text).toContain("Tool error (boom): bang");
    if (dialect !== "openai") expect(w.result(3, "c3", "boom").isError).toBe(true);
    expect(w.of("processing_end")[0]?.data.reason).toBe("completed");
  });

  it("D-032 D-034 D-035 D-069 steering arrives after the tool round as a user message", async () => {
    const nudge = tool("nudge", () => {
      w.session.steer("left, please");
      return "nudged";
    });
    const w: Awaited<ReturnType<typeof wire>> = await wire(
      dialect,
      [turn.calls([{ name: "nudge", id: "c1" }]), turn.text("turning left")],
      { profile: profileFor(dialect, [nudge]) },
    );
    await w.session.submit("drive");
    await w.finish();
    const messages = w.server.requests[1]!.view.messages;
    const last = messages.at(-1)!;
    expect(last.role).toBe("user");
    expect(last.text).toContain("left, please");
    expect(w.result(1, "c1", "nudge").text).toBe("nudged");
  });

  it("D-033 a follow-up is a new input after the first has ended", async () => {
    const w = await wire(dialect, [turn.text("one"), turn.text("two")]);
    w.session.followUp("second");
    await w.session.submit("first");
    await w.finish();
    expect(w.server.requests[1]!.view.messages.at(-1)?.text).toBe("second");
    expect(w.of("processing_end")).toHaveLength(2);
  });

  it("D-036 D-037 D-070 RN-05 effort set between two rounds is in the second request only", async () => {
    const w = await wire(dialect, [turn.calls([echoCall(1)]), turn.text("done")], {
      onEvent: (event) => {
        if (event.kind === "tool_call_end") w.session.config.reasoningEffort = "high";
      },
    });
    await w.session.submit("go");
    await w.finish();
    const field = (body: Record<string, never>): unknown => {
      if (dialect === "openai") return (body["reasoning"] as { effort?: string } | undefined)?.effort;
      if (dialect === "anthropic") return body["thinking"] ?? body["output_config"];
      return (body["generationConfig"] as { thinkingConfig?: unknown } | undefined)?.thinkingConfig;
    };
    expect(field(w.server.requests[0]!.body)).toBeUndefined();
    expect(field(w.server.requests[1]!.body)).toBeDefined();
  });

  it("SN-04 signed thinking is replayed verbatim with its tool call", async () => {
    const w = await wire(
      dialect,
      [turn.blocks([thinking("let me see"), { type: "call", ...echoCall(1) }]), turn.text("done")],
      { config: { reasoningEffort: "high" } },
    );
    await w.session.submit("go");
    await w.finish();
    // The strict server refuses a missing or changed signature.
    expect(w.server.requests).toHaveLength(2);
    expect(w.of("assistant_text_end")[0]?.data.reasoning).toBe("let me see");
  });

  it("D-056 429 and 5xx are retried with back-off", async () => {
    const w = await wire(dialect, [turn.error(429), turn.error(503), turn.text("fine")]);
    await w.session.submit("go");
    await w.session.close();
    expect(w.server.requests).toHaveLength(3);
    expect(w.of("retry").map((event) => event.data.error_type)).toEqual(["RateLimitError", "ServerError"]);
    expect(w.of("processing_end")[0]?.data.reason).toBe("completed");
    await w.server.close();
  });

  it("D-057 401: one request, the input ends, the session is idle and usable", async () => {
    const w = await wire(dialect, [turn.error(401), turn.text("now")]);
    await w.session.submit("go");
    expect(w.server.requests).toHaveLength(1);
    expect(w.session.state).toBe("idle");
    await w.session.submit("again");
    await w.session.close();
    expect(w.of("error")[0]?.data.error_type).toBe("AuthenticationError");
    expect(w.of("processing_end").map((event) => event.data.reason)).toEqual(["error", "completed"]);
    await w.server.close();
  });

  it("D-006 D-059 abort in the middle of a stream closes the socket and the session", async () => {
    const door = gate();
    const w = await wire(dialect, [
      turn.text("a long answer that is cut ".repeat(20), {
        beforeEvent: (index) => (index === 3 ? door.wait() : undefined),
      }),
    ]);
    const running = w.session.submit("go");
    await door.reached;
    await w.session.abort();
    await running;
    await w.server.requests[0]!.finished;
    expect(w.server.requests[0]!.closedEarly).toBe(true);
    expect(w.session.state).toBe("closed");
    door.open();
    await w.finish();
  });

  it("SN-05 an interrupted batch leaves a history that the strict server accepts", async () => {
    const slow = tool("slow", (_args, { signal }) => {
      queueMicrotask(() => void w.session.interrupt());
      return new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const w: Awaited<ReturnType<typeof wire>> = await wire(
      dialect,
      [
        turn.calls([
          { name: "slow", id: "c1" },
          { name: "slow", id: "c2" },
        ]),
        turn.text("ok"),
      ],
      { profile: profileFor(dialect, [slow]) },
    );
    await w.session.submit("go");
    await w.session.submit("again");
    await w.finish();
    expect(w.server.requests).toHaveLength(2);
  });

  it("D-007 D-072 a repeated call is warned about in the next request", async () => {
    const script = [
      ...Array.from({ length: 10 }, (_, n) => turn.calls([{ name: "echo", args: {}, id: `c${n}` }])),
      turn.text("ok"),
    ];
    const w = await wire(dialect, script);
    await w.session.submit("go");
    await w.finish();
    expect(w.of("loop_detection")).toHaveLength(1);
    expect(w.server.requests[10]!.view.messages.at(-1)!.text).toContain("Loop detected: the last 10 tool calls");
  });

  it("D-045 D-048 D-049 D-071 a child is spawned, has no agent tools, and its result comes back", async () => {
    const agents = [spawnAgentTool, waitTool] as unknown as ToolDef[];
    const script = (request: RecordedRequest) => {
      const { messages } = request.view;
      const said = messages.filter((message) => message.role === "assistant").length;
      if (messages[0]!.text.includes("count the files")) return turn.text("there are three");
      if (said === 0) return turn.calls([{ name: "spawn_agent", args: { task: "count the files" }, id: "c1" }]);
      if (said > 1) return turn.text("done");
      const agentId = /agent_id\W+(\w+)/.exec(messages.at(-1)!.results[0]!.text)![1]!;
      return turn.calls([{ name: "wait", args: { agent_id: agentId }, id: "c2" }]);
    };
    const w = await wire(dialect, script, { profile: profileFor(dialect, [...agents, echo]) });
    await w.session.submit("go");
    await w.finish();
    const child = w.server.requests.find((request) => request.view.messages[0]!.text.includes("count the files"))!;
    expect(child.view.tools).toEqual(["echo"]);
    const last = w.server.requests.at(-1)!;
    expect(JSON.parse(last.view.messages.flatMap((message) => message.results).at(-1)!.text)).toEqual({
      output: "there are three",
      success: true,
      turns_used: 1,
    });
  });

  it("D-058 overflow is a warning; the session is usable", async () => {
    const w = await wire(dialect, [turn.error(400, OVERFLOW[dialect]), turn.text("ok")]);
    await w.session.submit("go");
    expect(w.session.state).toBe("idle");
    await w.session.submit("shorter");
    await w.finish();
    expect(w.of("processing_end").map((event) => event.data.reason)).toEqual(["context_overflow", "completed"]);
    expect(w.of("warning").map((event) => event.data.code)).toContain("context_overflow");
  });
});

it("an answer that is stopped has cost what the vendor said at its beginning, in the ledger and in the journal", async () => {
  const door = gate();
  const w = await wire("anthropic", [
    turn.text("a long answer that is cut ".repeat(20), {
      usage: { input: 1000, output: 50 },
      beforeEvent: (index) => (index === 4 ? door.wait() : undefined),
    }),
  ]);
  const events = w.session.events();
  const running = w.session.submit("go");
  for await (const { kind } of events) if (kind === "assistant_text_delta") break;
  await w.session.interrupt();
  expect((await running).usage.inputTokens).toBe(1000);
  expect(w.session.usage.usage.inputTokens).toBe(1000);
  door.open();
  await w.finish();
});

it("two sessions with different keys, profiles and roots share nothing in one process", async () => {
  const rounds = (name: string) => [turn.calls([{ name: "where", id: "c1" }]), turn.text(`${name} done`)];
  const where = tool("where", (_args, { env }) => env.workingDirectory());
  const [a, b] = await Promise.all([
    wire("anthropic", rounds("a"), {
      profile: profileFor("anthropic", [where]),
      env: new MemoryEnvironment({ cwd: "/a" }),
    }),
    wire("gemini", rounds("b"), { profile: profileFor("gemini", [where]), env: new MemoryEnvironment({ cwd: "/b" }) }),
  ]);
  await Promise.all([a.session.submit("go"), b.session.submit("go")]);
  expect(a.result(1, "c1", "where").text).toBe("/a");
  expect(b.result(1, "c1", "where").text).toBe("/b");
  expect([a.session.lastText(), b.session.lastText()]).toEqual(["a done", "b done"]);
  await Promise.all([a.finish(), b.finish()]);
});
