import { gate, startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { generateObject, streamObject } from "../../src/generate/object.ts";
import { type GenerateEvent, stream } from "../../src/generate/stream.ts";
import type { Tool } from "../../src/generate/tools.ts";
import { AbortError, NoObjectGeneratedError, StreamError } from "../../src/types/errors.ts";
import type { JsonSchema } from "../../src/types/json.ts";
import { ALL, ANTHROPIC, clientFor, OPENAI, THREE, testClock, testDeps } from "./support.ts";

const clockTool: Tool = {
  name: "clock",
  description: "The time",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  execute: () => "noon",
};

async function all(events: AsyncIterable<GenerateEvent>): Promise<GenerateEvent[]> {
  const seen: GenerateEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("high-level stream", () => {
  it.each(THREE)("GN-04 A-108 $provider: two steps, one step_finish between them, one finish", async (one) => {
    await using server = await startModelServer({
      script: [turn.calls([{ name: "clock", args: {} }]), turn.text("It is noon.")],
    });
    const result = stream({ client: clientFor(one, server), model: one.model, prompt: "time?", tools: [clockTool] });
    expect(result.partialResponse).toBeUndefined();
    const events = await all(result);
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === "step_finish")).toHaveLength(1);
    expect(types.filter((type) => type === "finish")).toHaveLength(1);
    expect(types.indexOf("step_finish")).toBeGreaterThan(types.indexOf("tool_call_end"));
    expect(types.at(-1)).toBe("finish");
    const step = events.find((event) => event.type === "step_finish");
    expect(step?.type === "step_finish" && step.step.toolResults[0]?.content).toBe("noon");
    const lastText = events
      .slice(types.indexOf("step_finish"))
      .flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect((await result.response()).text).toBe(lastText.join(""));
    expect(result.partialResponse?.text).toBe("It is noon.");
  });

  it("GN-04 textStream gives text only, and a stream is read once", async () => {
    await using server = await startModelServer({ script: [turn.text("only words", { deltaChars: 2 })] });
    const result = stream({ client: clientFor(OPENAI, server), model: OPENAI.model, prompt: "x" });
    let text = "";
    for await (const delta of result.textStream) text += delta;
    expect(text).toBe("only words");
    expect(() => result[Symbol.asyncIterator]()).toThrow(StreamError);
  });

  it("GN-04 partialResponse grows while the stream runs", async () => {
    await using server = await startModelServer({ script: [turn.text("abcdef", { deltaChars: 2 })] });
    const result = stream({ client: clientFor(ANTHROPIC, server), model: ANTHROPIC.model, prompt: "x" });
    const shown: string[] = [];
    for await (const event of result) if (event.type === "text_delta") shown.push(result.partialResponse?.text ?? "");
    expect(shown).toEqual(["ab", "abcd", "abcdef"]);
  });

  it("GN-04 TM-01 an abort throws AbortError out of the loop", async () => {
    const held = gate();
    await using server = await startModelServer({
      script: [
        turn.text("a b c d e f", { deltaChars: 2, beforeEvent: (index) => (index > 4 ? held.wait() : undefined) }),
      ],
    });
    const controller = new AbortController();
    const result = stream({
      client: clientFor(ANTHROPIC, server),
      model: ANTHROPIC.model,
      prompt: "x",
      abortSignal: controller.signal,
    });
    await expect(
      (async () => {
        for await (const event of result) if (event.type === "text_delta") controller.abort();
      })(),
    ).rejects.toThrow(AbortError);
    await expect(result.response()).rejects.toThrow(AbortError);
    await server.requests[0]?.finished;
    expect(server.requests[0]?.closedEarly).toBe(true);
    held.open();
  });

  it("TM-02 the total time of a stream begins when it is first read", async () => {
    const clock = testClock();
    const held = gate();
    await using server = await startModelServer({ script: [turn.text("late", { before: held.wait })] });
    const deps = testDeps({ setTimer: clock.setTimer, now: clock.now });
    const result = stream({ client: clientFor(ANTHROPIC, server, { deps }), model: "m", prompt: "x", timeout: 5 });
    clock.advance(60_000);
    const outcome = (async () => {
      for await (const _ of result);
    })().catch((error: unknown) => error);
    await held.reached;
    clock.advance(5000);
    expect(await outcome).toMatchObject({ name: "RequestTimeoutError", phase: "total" });
    held.open();
  });

  it("GN-04 leaving the loop frees the socket and settles response()", async () => {
    await using server = await startModelServer({ script: [turn.text("x ", { fault: { kind: "endless" } })] });
    const result = stream({ client: clientFor(ANTHROPIC, server), model: ANTHROPIC.model, prompt: "x" });
    for await (const event of result) if (event.type === "text_delta") break;
    await server.requests[0]?.finished;
    await expect(result.response()).rejects.toThrow(/left before its end/);
  });
});

const person: JsonSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
};

describe.each(ALL)("objects of $provider", (one) => {
  /** Providers that answer through a forced tool have that call in their script. */
  const answer = (json: string) => (recorded: { body: Record<string, unknown> }) => {
    const forced = forcedTool(recorded.body);
    return forced === undefined
      ? turn.text(json, { deltaChars: 4 })
      : turn.calls([{ name: forced, rawArgs: json }], { deltaChars: 4 });
  };

  it("GN-06 A-032 A-109 good JSON is the output", async () => {
    await using server = await startModelServer({ script: answer('{"name":"Ada","age":36}') });
    const result = await generateObject({
      client: clientFor(one, server),
      model: one.model,
      prompt: "who?",
      schema: person,
    });
    expect(result.output).toEqual({ name: "Ada", age: 36 });
    expect(server.requests[0]?.refused).toBeUndefined();
  });

  it("GN-06 A-033 truncated JSON and a wrong type are NoObjectGeneratedError after one request each", async () => {
    for (const [json, pattern] of [
      ['{"name":"Ada","ag', /JSON/],
      ['{"name":"Ada","age":"old"}', /age must be/],
    ] as const) {
      await using server = await startModelServer({ script: answer(json) });
      const outcome = generateObject({
        client: clientFor(one, server),
        model: one.model,
        prompt: "who?",
        schema: person,
      });
      const error = (await outcome.catch((reason: unknown) => reason)) as NoObjectGeneratedError;
      expect(error).toBeInstanceOf(NoObjectGeneratedError);
      expect(error.message).toMatch(pattern);
      expect(error.response?.provider).toBe(one.provider);
      expect(server.requests).toHaveLength(1);
    }
  });

  it("GN-07 streamObject grows and ends in the validated value", async () => {
    const list = {
      type: "object",
      properties: { items: { type: "array", items: { type: "string" } } },
      required: ["items"],
      additionalProperties: false,
    } as const;
    const json = JSON.stringify({ items: ["one", "two", "three", "four", "five"] });
    await using server = await startModelServer({ script: answer(json) });
    const objects = streamObject({
      client: clientFor(one, server, { deps: testDeps() }),
      model: one.model,
      prompt: "x",
      schema: list,
    });
    const lengths: number[] = [];
    let last: unknown;
    for await (const partial of objects) {
      last = partial;
      lengths.push((partial as { items?: string[] }).items?.length ?? 0);
    }
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(lengths.at(-1)).toBe(5);
    expect(await objects.object()).toEqual(last);
  });
});

it("GN-06 an object that the output limit cut says so", async () => {
  await using server = await startModelServer({ script: [turn.text('{"items":["a', { stop: "length" })] });
  const outcome = generateObject({
    client: clientFor(OPENAI, server),
    model: OPENAI.model,
    prompt: "x",
    schema: person,
  });
  await expect(outcome).rejects.toThrow("raise maxTokens");
});

it("GN-07 a violation rejects object() with NoObjectGeneratedError", async () => {
  await using server = await startModelServer({ script: [turn.text('{"name":"Ada","age":"old"}')] });
  const objects = streamObject({ client: clientFor(OPENAI, server), model: OPENAI.model, prompt: "x", schema: person });
  for await (const _ of objects);
  await expect(objects.object()).rejects.toThrow(NoObjectGeneratedError);
});

it("GN-06 one code fence around the JSON is tolerated", async () => {
  await using server = await startModelServer({ script: [turn.text('```json\n{"name":"Ada","age":36}\n```')] });
  const { output } = await generateObject({
    client: clientFor(OPENAI, server),
    model: OPENAI.model,
    prompt: "x",
    schema: person,
  });
  expect(output).toEqual({ name: "Ada", age: 36 });
});

function forcedTool(body: Record<string, unknown>): string | undefined {
  const choice = body["tool_choice"] as { type?: string; name?: string } | undefined;
  if (choice?.type === "tool") return choice.name;
  const bedrock = (body["toolConfig"] as { toolChoice?: { tool?: { name: string } } } | undefined)?.toolChoice?.tool;
  return bedrock?.name;
}
