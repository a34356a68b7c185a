import { redactedThinking, startModelServer, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { generate } from "../../src/generate/generate.ts";
import { stream } from "../../src/generate/stream.ts";
import type { Tool } from "../../src/generate/tools.ts";
import { cacheHitRatio } from "../../src/stream/usage.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import { clientFor, collect, type DialectCase, KEY, THREE, testDeps } from "./support.ts";

const ask = (one: DialectCase, prompt = "hi") => ({ model: one.model, messages: [Message.user(prompt)] });

const lookup: Tool = {
  name: "lookup",
  description: "Looks a word up",
  parameters: {
    type: "object",
    properties: { word: { type: "string" } },
    required: ["word"],
    additionalProperties: false,
  },
  execute: ({ word }) => `meaning of ${String(word)}`,
};
const call = (word: string) => ({ name: "lookup", args: { word } });

/** A model that reasons, so that no adapter omits reasoning. */
const reasoning =
  (one: DialectCase) =>
  (id: string): ModelInfo => ({
    id,
    provider: one.provider,
    displayName: id,
    contextWindow: 200_000,
    maxOutput: 32_000,
    supportsTools: true,
    supportsVision: true,
    supportsReasoning: true,
    input: ["text", "image"],
    aliases: [],
    thinking: { mode: one.provider === "openai" ? "effort" : "budget", levels: ["low", "medium", "high"] },
  });

describe.each(THREE)("parity of $provider", (one) => {
  const cell = (id: string) => `${id}-${one.letter}`;

  it(`${cell("A-101")} ${cell("A-113")} A-011 simple text with exact counts`, async () => {
    await using server = await startModelServer({ script: [turn.text("Hello.", { usage: { input: 21, output: 9 } })] });
    const response = await clientFor(one, server).complete(ask(one));
    expect(response).toMatchObject({
      text: "Hello.",
      provider: one.provider,
      model: one.model,
      finishReason: { reason: "stop" },
      usage: { inputTokens: 21, outputTokens: 9, totalTokens: 30 },
    });
    expect(response.id).not.toBe("");
    expect(response.raw).toBeDefined();
    expect(response.usage.raw).toBeDefined();
  });

  it(`${cell("A-102")} A-029 streamed text`, async () => {
    await using server = await startModelServer({
      script: [turn.text("Héllo wörld 😀", { deltaChars: 2, pings: true, crlf: true })],
    });
    const events = await collect(clientFor(one, server).stream(ask(one)));
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    const last = events.at(-1);
    expect(deltas.join("")).toBe("Héllo wörld 😀");
    expect(last?.type === "finish" && last.response.text).toBe("Héllo wörld 😀");
  });

  it(`${cell("A-105")} A-022 one tool call and its run`, async () => {
    await using server = await startModelServer({ script: [turn.calls([call("lathe")]), turn.text("A machine.")] });
    const result = await generate({ client: clientFor(one, server), model: one.model, prompt: "x", tools: [lookup] });
    expect(result.text).toBe("A machine.");
    expect(server.requests.map((request) => request.refused)).toEqual([undefined, undefined]);
    expect(server.requests[1]?.text).toContain("meaning of lathe");
  });

  it(`${cell("A-106")} A-057 parallel calls: one continuation, in order`, async () => {
    await using server = await startModelServer({
      script: [turn.calls([call("a"), call("b"), call("c")]), turn.text("ok")],
    });
    await generate({ client: clientFor(one, server), model: one.model, prompt: "x", tools: [lookup] });
    expect(server.requests).toHaveLength(2);
    const body = server.requests[1]?.text ?? "";
    const places = ["meaning of a", "meaning of b", "meaning of c"].map((result) => body.indexOf(result));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(server.requests[1]?.refused).toBeUndefined();
  });

  it(`${cell("A-107")} a loop of three rounds`, async () => {
    await using server = await startModelServer({
      script: [turn.calls([call("a")]), turn.calls([call("b")]), turn.calls([call("c")]), turn.text("ok")],
    });
    const result = await generate({
      client: clientFor(one, server),
      model: one.model,
      prompt: "x",
      tools: [lookup],
      maxToolRounds: 9,
    });
    expect(result.steps).toHaveLength(4);
    expect(server.requests.every((request) => request.refused === undefined)).toBe(true);
  });

  it(`${cell("A-108")} streaming with tools`, async () => {
    await using server = await startModelServer({
      script: [turn.calls([call("a")]), turn.calls([call("b")]), turn.text("ok")],
    });
    const types: string[] = [];
    for await (const event of stream({
      client: clientFor(one, server),
      model: one.model,
      prompt: "x",
      tools: [lookup],
      maxToolRounds: 9,
    }))
      types.push(event.type);
    expect(types.filter((type) => type === "step_finish")).toHaveLength(2);
    for (const type of ["tool_call_start", "tool_call_delta", "tool_call_end"]) expect(types).toContain(type);
  });

  it(`${cell("A-110")} A-036 A-040 A-041 reasoning tokens are counted apart`, async () => {
    await using server = await startModelServer({
      script: [
        turn.blocks([thinking("let me think about this"), text("42")], {
          usage: { input: 5, output: 80, reasoning: 64 },
        }),
      ],
    });
    const client = clientFor(one, server, { model: reasoning(one) });
    const response = await client.complete({ ...ask(one), reasoningEffort: "high" });
    expect(response.usage.reasoningTokens).toBe(64);
    expect(response.text).toBe("42");
    expect(server.requests[0]?.refused).toBeUndefined();
  });

  it(`${cell("A-111")} A-069 a bad key`, async () => {
    await using server = await startModelServer({ auth: { key: "another" } });
    const outcome = generate({ client: clientFor(one, server), model: one.model, prompt: "x" });
    const error = await outcome.catch((reason: unknown) => reason as Error);
    expect(error).toMatchObject({ name: "AuthenticationError", retryable: false });
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it(`${cell("A-112")} A-018 a rate limit carries retryAfter`, async () => {
    await using server = await startModelServer({ script: [turn.error(429, { retryAfter: 7 })] });
    await expect(clientFor(one, server).complete(ask(one))).rejects.toMatchObject({
      name: "RateLimitError",
      retryAfter: 7,
    });
  });

  it(`${cell("A-114")} A-043 A-047 A-050 A-051 the cache is read from the second turn on`, async () => {
    const filler = "a stable sentence of the system prompt. ".repeat(200);
    await using server = await startModelServer({
      simulateCache: true,
      script: (request) => turn.text(`answer ${request.index}`),
    });
    const client = clientFor(one, server, { deps: testDeps() });
    let messages = [Message.system(filler)];
    const ratios: number[] = [];
    for (let round = 0; round < 10; round++) {
      messages = [...messages, Message.user(`question ${round}`)];
      const response = await client.complete({ model: one.model, messages });
      messages = [...messages, response.message];
      ratios.push(cacheHitRatio(response.usage, one.provider));
      if (round > 0) expect(response.usage.cacheReadTokens).toBeGreaterThan(0);
    }
    for (const ratio of ratios.slice(4)) expect(ratio).toBeGreaterThan(0.5);
  });

  it(`${cell("A-115")} A-015 CL-09 own provider options reach the body, others do not`, async () => {
    await using server = await startModelServer({ script: [turn.text("ok")], allowFields: ["own_flag"] });
    const mine: JsonObject = { own_flag: { nested: [1] } };
    const others = Object.fromEntries(
      THREE.filter((other) => other !== one).map((other) => [other.provider, { foreign: true }]),
    );
    await clientFor(one, server).complete({ ...ask(one), providerOptions: { ...others, [one.provider]: mine } });
    expect(server.requests[0]?.body.own_flag).toEqual({ nested: [1] });
    expect(server.requests[0]?.text).not.toContain("foreign");
  });

  it(`A-025 text, image, text keep their order for ${one.provider}`, async () => {
    await using server = await startModelServer({ script: [turn.text("ok")] });
    const image = { kind: "image", image: { data: Uint8Array.from([1, 2, 3]) } } as const;
    const content = [{ kind: "text", text: "before" }, image, { kind: "text", text: "after" }] as const;
    await clientFor(one, server).complete({ model: one.model, messages: [Message.user(content)] });
    const body = server.requests[0]?.text ?? "";
    expect(body.indexOf("before")).toBeLessThan(body.indexOf("AQID"));
    expect(body.indexOf("AQID")).toBeLessThan(body.indexOf("after"));
  });
});

describe("thinking in the next request", () => {
  it("A-023 A-024 A-039 DM-05 Anthropic's signature and redacted data survive a round through JSON", async () => {
    const [, one] = THREE as readonly [DialectCase, DialectCase, DialectCase];
    await using server = await startModelServer({
      script: [turn.blocks([thinking("deep thought"), redactedThinking("abcREDACTED"), text("so")]), turn.text("ok")],
    });
    const client = clientFor(one, server, { model: reasoning(one) });
    const first = await client.complete({ ...ask(one), reasoningEffort: "high" });
    const replayed = JSON.parse(JSON.stringify(first.message)) as Message;
    await client.complete({
      model: one.model,
      reasoningEffort: "high",
      messages: [Message.user("hi"), replayed, Message.user("go on")],
    });
    expect(server.requests[1]?.refused).toBeUndefined();
    const blocks = server.requests[1]?.body.messages[1].content;
    const [thought] = first.message.content.flatMap((part) => (part.kind === "thinking" ? [part.thinking] : []));
    expect(blocks[0]).toEqual({ type: "thinking", thinking: "deep thought", signature: thought?.signature });
    expect(JSON.stringify(blocks[1])).toContain("abcREDACTED");
  });
});
