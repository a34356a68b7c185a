import { gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { generate } from "../../src/generate/generate.ts";
import { defineTool, type Tool } from "../../src/generate/tools.ts";
import { ConfigurationError } from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import { ANTHROPIC, clientFor, OPENAI, THREE } from "./support.ts";

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
    expect(results[1]?.content).toContain("city must be");
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
