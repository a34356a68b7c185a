import { gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { generate } from "../../src/generate/generate.ts";
import { stream } from "../../src/generate/stream.ts";
import { defineTool, type Tool } from "../../src/generate/tools.ts";
import { sleepWith } from "../../src/timers.ts";
import { AbortError, ConfigurationError, RequestTimeoutError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { ANTHROPIC, clientFor, OPENAI, THREE, testClock, testDeps } from "./support.ts";

const weather = (execute?: Tool["execute"]): Tool => ({
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  ...(execute === undefined ? {} : { execute }),
});
const ask = (city: string, id?: string) => ({ name: "weather", args: { city }, ...(id === undefined ? {} : { id }) });

describe("generate", () => {
  it("GN-03 A-026 A-027 a prompt is one user message; messages go as they are; system goes in front", async () => {
    await using server = await startModelServer({ script: () => turn.text("ok") });
    const client = clientFor(ANTHROPIC, server);
    await generate({ client, model: ANTHROPIC.model, prompt: "hello" });
    await generate({
      client,
      model: ANTHROPIC.model,
      system: "be brief",
      messages: [Message.user("a"), Message.assistant("b"), Message.user("c")],
    });
    const texts = server.requests.map(({ body }) =>
      body.messages.map((message: { role: string; content: { text: string }[] }) => [
        message.role,
        message.content[0]?.text,
      ]),
    );
    expect(texts).toEqual([
      [["user", "hello"]],
      [
        ["user", "a"],
        ["assistant", "b"],
        ["user", "c"],
      ],
    ]);
    expect(server.requests[1]?.body.system[0].text).toBe("be brief");
  });

  it("GN-03 A-028 both or neither of prompt and messages are refused without a request", async () => {
    await using server = await startModelServer();
    const client = clientFor(ANTHROPIC, server);
    await expect(generate({ client, model: "m", prompt: "a", messages: [] })).rejects.toThrow(ConfigurationError);
    await expect(generate({ client, model: "m" })).rejects.toThrow(ConfigurationError);
    expect(server.requests).toHaveLength(0);
  });

  it.each(THREE)("TC-04 A-052 A-062 A-022 an active tool of $provider runs and its result is linked", async (one) => {
    await using server = await startModelServer({
      script: [
        turn.calls([ask("Oslo")], { usage: { input: 10, output: 5 } }),
        turn.text("It rains.", { usage: { input: 20, output: 3 } }),
      ],
    });
    const seen: unknown[] = [];
    const result = await generate({
      client: clientFor(one, server),
      model: one.model,
      prompt: "weather?",
      tools: [
        weather((args, context) => {
          seen.push([args, typeof context.toolCallId]);
          return "rain";
        }),
      ],
    });
    expect(server.requests).toHaveLength(2);
    expect(server.requests.map((request) => request.refused)).toEqual([undefined, undefined]);
    expect(seen).toEqual([[{ city: "Oslo" }, "string"]]);
    expect(result.text).toBe("It rains.");
    expect(result.steps).toHaveLength(2);
    expect(result.steps[0]?.toolCalls[0]).toMatchObject({ name: "weather", arguments: { city: "Oslo" } });
    expect(result.steps[0]?.toolResults).toEqual([
      { toolCallId: result.steps[0]?.toolCalls[0]?.id, content: "rain", isError: false },
    ]);
    expect(result.steps.map((step) => step.usage.inputTokens)).toEqual([10, 20]);
    expect(result.totalUsage).toMatchObject({ inputTokens: 30, outputTokens: 8, totalTokens: 38 });
  });

  it("TC-04 A-053 a passive tool ends the loop with all calls unexecuted", async () => {
    await using server = await startModelServer({ script: [turn.calls([ask("Oslo"), { name: "note", args: {} }])] });
    let ran = 0;
    const result = await generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [
        weather(),
        { name: "note", description: "n", parameters: { type: "object", properties: {} }, execute: () => ++ran },
      ],
    });
    expect([server.requests.length, result.toolCalls.length, result.toolResults, ran]).toEqual([1, 2, [], 0]);
  });

  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])(
    "TC-04 A-054 A-055 maxToolRounds %i with a model that never stops: %i requests",
    async (maxToolRounds, requests) => {
      await using server = await startModelServer({ script: () => turn.calls([ask("Oslo")]) });
      let ran = 0;
      const tools = [weather(() => String(++ran))];
      const result = await generate({
        client: clientFor(OPENAI, server),
        model: OPENAI.model,
        prompt: "x",
        tools,
        maxToolRounds,
      });
      expect([server.requests.length, ran]).toEqual([requests, maxToolRounds]);
      expect(result.steps.at(-1)?.toolResults).toEqual([]);
      expect(result.toolCalls).toHaveLength(1);
    },
  );

  it("TC-04 stopWhen ends the loop; a length stop never executes its calls", async () => {
    await using server = await startModelServer({
      script: [turn.calls([ask("a")]), turn.calls([ask("b")]), turn.calls([ask("c")], { stop: "length" })],
    });
    let ran = 0;
    const common = {
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [weather(() => String(++ran))],
      maxToolRounds: 5,
    };
    const stopped = await generate({ ...common, stopWhen: (steps) => steps.length === 2 });
    expect([stopped.steps.length, ran]).toEqual([2, 2]);
    const cut = await generate(common);
    expect([cut.finishReason.reason, ran]).toEqual(["length", 2]);
  });

  it("TC-05 A-056 A-057 parallel calls start together; results go back in call order in one request", async () => {
    await using server = await startModelServer({
      script: [turn.calls([ask("a", "t1"), ask("b", "t2"), ask("c", "t3")]), turn.text("done")],
    });
    const doors = new Map(["a", "b", "c"].map((city) => [city, gate()]));
    const finished: string[] = [];
    const running = generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [
        weather(async ({ city }) => {
          await doors.get(String(city))?.wait();
          finished.push(String(city));
          if (city === "b") throw new Error("no such city");
          return `sun in ${city}`;
        }),
      ],
    });
    await Promise.all([...doors.values()].map((door) => door.reached));
    for (const city of ["c", "b", "a"]) {
      doors.get(city)?.open();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const result = await running;
    expect(finished).toEqual(["c", "b", "a"]);
    expect(result.steps[0]?.toolResults.map(({ content, isError }) => [content, isError])).toEqual([
      ["sun in a", false],
      ["no such city", true],
      ["sun in c", false],
    ]);
    const sent = server.requests[1]?.body.messages.at(-1).content;
    expect(
      sent.map((block: { tool_use_id: string; is_error?: boolean }) => [block.tool_use_id, block.is_error ?? false]),
    ).toEqual([
      ["t1", false],
      ["t2", true],
      ["t3", false],
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it("TC-06 A-058 A-059 A-061 bad arguments, wrong types, unknown and throwing tools become error results", async () => {
    await using server = await startModelServer({
      script: [
        turn.calls([
          { name: "weather", rawArgs: '{"city":' },
          { name: "weather", args: { city: 7 } },
          { name: "tides", args: {} },
          { name: "weather", args: { city: "boom" } },
        ]),
        turn.text("sorry"),
      ],
    });
    const ran: unknown[] = [];
    const result = await generate({
      client: clientFor(OPENAI, server),
      model: OPENAI.model,
      prompt: "x",
      tools: [
        weather((args) => {
          ran.push(args);
          throw new Error("storm");
        }),
      ],
    });
    const results = result.steps[0]?.toolResults ?? [];
    expect(results.map((entry) => entry.isError)).toEqual([true, true, true, true]);
    expect(results[0]?.content).toContain("JSON");
    expect(results[1]?.content).toContain("/city");
    expect(results[2]?.content).toBe("Unknown tool: tides");
    expect(results[3]?.content).toBe("storm");
    expect(ran).toEqual([{ city: "boom" }]);
    expect(server.requests).toHaveLength(2);
  });

  it("TC-06 repairToolCall gets one chance", async () => {
    await using server = await startModelServer({ script: () => turn.calls([{ name: "weather", rawArgs: "{oops" }]) });
    const common = { client: clientFor(OPENAI, server), model: OPENAI.model, prompt: "x" };
    const repaired = await generate({
      ...common,
      tools: [weather(({ city }) => `sun in ${city}`)],
      repairToolCall: ({ id, name }) => ({ id, name, arguments: { city: "Oslo" } }),
    });
    expect(repaired.steps[0]?.toolResults[0]).toMatchObject({ content: "sun in Oslo", isError: false });
    const hopeless = await generate({
      ...common,
      tools: [weather(() => "never")],
      repairToolCall: ({ id, name }) => ({ id, name, arguments: {} }),
    });
    expect(hopeless.steps[0]?.toolResults[0]?.isError).toBe(true);
  });

  it("TC-01 four kinds of bad definition give four errors, and names must differ", async () => {
    const base = { description: "d", parameters: { type: "object" } };
    const messages = [
      { ...base, name: "9a" },
      { ...base, name: "a-b" },
      { ...base, name: "a".repeat(65) },
      { ...base, name: "ok", parameters: { type: "array" } },
    ].map((tool) => {
      try {
        defineTool(tool);
        return "accepted";
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(new Set(messages).size).toBe(4);
    expect(messages).not.toContain("accepted");
    await using server = await startModelServer();
    const tools = [weather(), weather()];
    await expect(generate({ client: clientFor(OPENAI, server), model: "m", prompt: "x", tools })).rejects.toThrow(
      /weather/,
    );
  });
});

describe("retries of high-level calls", () => {
  it.each(THREE)("ER-07 A-068 A-112 $provider: 429 then an answer is a success after Retry-After", async (one) => {
    const clock = testClock();
    await using server = await startModelServer({ script: [turn.error(429, { retryAfter: 7 }), turn.text("ok")] });
    const deps = testDeps({ sleep: clock.sleep, now: clock.now });
    const result = await generate({ client: clientFor(one, server, { deps }), model: one.model, prompt: "x" });
    expect([result.text, server.requests.length, clock.sleeps]).toEqual(["ok", 2, [7000]]);
  });

  it.each([401, 403, 404])("ER-07 A-069 %i is asked once", async (status) => {
    await using server = await startModelServer({ script: () => turn.error(status) });
    await expect(generate({ client: clientFor(OPENAI, server), model: "m", prompt: "x" })).rejects.toMatchObject({
      statusCode: status,
    });
    expect(server.requests).toHaveLength(1);
  });

  it("ER-07 A-070 a 500 on step 3 does not run the tools of steps 1 and 2 again", async () => {
    await using server = await startModelServer({
      script: [turn.calls([ask("a")]), turn.calls([ask("b")]), turn.error(500), turn.text("done")],
    });
    const ran: unknown[] = [];
    const result = await generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      maxToolRounds: 5,
      tools: [
        weather(({ city }) => {
          ran.push(city);
          return "sun";
        }),
      ],
    });
    expect([result.text, ran, server.requests.length]).toEqual(["done", ["a", "b"], 4]);
  });

  it("ER-07 A-071 a stream is retried until its first event, not after", async () => {
    await using server = await startModelServer({
      script: [
        turn.error(503),
        turn.text("one two three", { deltaChars: 3, fault: { kind: "cut", at: { events: 5 } } }),
      ],
    });
    const events = stream({ client: clientFor(ANTHROPIC, server), model: ANTHROPIC.model, prompt: "x", maxRetries: 5 });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const event of events) seen.push(event.type);
      })(),
    ).rejects.toMatchObject({ name: "NetworkError" });
    expect(seen.at(-1)).toBe("error");
    expect(server.requests).toHaveLength(2);
    await expect(events.response()).rejects.toMatchObject({ name: "NetworkError" });
  });
});

describe("time and abort of operations", () => {
  it("TM-02 A-035 perStep ends a hanging second step; the first step survives in the error", async () => {
    const clock = testClock();
    const held = gate();
    await using server = await startModelServer({
      script: [turn.calls([ask("a")]), turn.text("late", { before: held.wait })],
    });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    const outcome = generate({
      client: clientFor(ANTHROPIC, server, { deps }),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [weather(() => "sun")],
      timeout: { perStep: 1 },
    }).catch((error: unknown) => error);
    await held.reached;
    clock.advance(1000);
    const error = (await outcome) as RequestTimeoutError;
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect([error.phase, (error.partial as { steps: unknown[] }).steps.length]).toEqual(["perStep", 1]);
    await server.requests[1]?.finished;
    expect(server.requests[1]?.closedEarly).toBe(true);
    held.open();
  });

  it("TM-02 A-035 total covers tools and sleeps, and aborts the tools' signal", async () => {
    const clock = testClock();
    await using server = await startModelServer({ script: [turn.calls([ask("a")])] });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    let signal: AbortSignal | undefined;
    const started = gate();
    const outcome = generate({
      client: clientFor(ANTHROPIC, server, { deps }),
      model: ANTHROPIC.model,
      prompt: "x",
      tools: [
        weather((_, context) => {
          signal = context.abortSignal;
          return started.wait().then(() => "never in time");
        }),
      ],
      timeout: 5,
    }).catch((error: unknown) => error);
    await started.reached;
    clock.advance(5000);
    expect(await outcome).toMatchObject({ name: "RequestTimeoutError", phase: "total" });
    expect(signal?.aborted).toBe(true);
    started.open();
  });

  it("TM-01 A-034 an abort during tool execution ends the loop without another request", async () => {
    await using server = await startModelServer({ script: [turn.calls([ask("a")]), turn.text("never")] });
    const controller = new AbortController();
    let aborted: boolean | undefined;
    const outcome = generate({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      abortSignal: controller.signal,
      tools: [
        weather((_, context) => {
          controller.abort();
          aborted = context.abortSignal.aborted;
          return "too late";
        }),
      ],
    });
    await expect(outcome).rejects.toThrow(AbortError);
    expect([aborted, server.requests.length]).toEqual([true, 1]);
  });

  it("TM-01 A-034 an abort during the back-off sleep ends at once", async () => {
    const clock = testClock();
    await using server = await startModelServer({ script: () => turn.error(500) });
    const controller = new AbortController();
    const deps = testDeps({
      setTimer: clock.setTimer,
      now: clock.now,
      sleep: (ms, signal) => sleepWith(clock.setTimer, ms, signal),
    });
    const outcome = generate({
      client: clientFor(OPENAI, server, { deps }),
      model: "m",
      prompt: "x",
      abortSignal: controller.signal,
    });
    const failed = expect(outcome).rejects.toThrow(AbortError);
    await clock.waitForTimer(1000);
    controller.abort();
    await failed;
    expect(server.requests).toHaveLength(1);
  });
});
