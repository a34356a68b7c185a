import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, startModelServer, text, thinking, turn } from "../src/index.ts";
import { drop, headersOf, PIXEL, type Rule, resend, set } from "./mutate.ts";

const MODEL = "gpt-5.2";
const messages = [{ role: "user" as const, content: "hi" }];

const connect = (server: ModelServer) =>
  new OpenAI({ apiKey: "sk-test", baseURL: server.baseUrl("chat"), maxRetries: 0 });

const rich = turn.blocks(
  [
    thinking("let me see"),
    text("Grüße 🎉 "),
    call({ name: "read", args: { path: "ä" }, id: "call_1" }),
    call({ name: "list", id: "call_2" }),
  ],
  { usage: { input: 10, output: 20, cacheRead: 3, reasoning: 4 }, deltaChars: 3 },
);

const richMessage = {
  role: "assistant",
  content: "Grüße 🎉 ",
  tool_calls: [
    { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"ä"}' } },
    { id: "call_2", type: "function", function: { name: "list", arguments: "{}" } },
  ],
};

describe("OpenAI's SDK reads the scripted model over Chat Completions", () => {
  it("a whole completion with reasoning, text, parallel calls and usage", async () => {
    await using server = await startModelServer({ script: [rich] });
    const completion = await connect(server).chat.completions.create({ model: MODEL, messages });
    expect(completion.choices[0]).toMatchObject({ message: richMessage, finish_reason: "tool_calls" });
    expect(completion.choices[0]!.message).toMatchObject({ reasoning_content: "let me see" });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 4 },
    });
  });

  it.each([
    ["plain", {}],
    ["one byte at a time", { chunk: 1 }],
    ["split characters", { chunk: "split-multibyte" as const }],
    ["CRLF", { crlf: true }],
    ["gzip", { gzip: true }],
  ])("the same completion as a stream: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const stream = connect(server).chat.completions.stream({
      model: MODEL,
      messages,
      stream_options: { include_usage: true },
    });
    expect(await stream.finalMessage()).toMatchObject(richMessage);
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 10, completion_tokens: 20 });
  });

  it("sends usage in a stream only when asked", async () => {
    await using server = await startModelServer({ script: () => turn.text("x") });
    const seen = async (options: object) => {
      const stream = await connect(server).chat.completions.create({
        model: MODEL,
        messages,
        stream: true,
        ...options,
      });
      let usage: unknown;
      for await (const chunk of stream) usage = chunk.usage ?? usage;
      return usage;
    };
    expect(await seen({})).toBeUndefined();
    expect(await seen({ stream_options: { include_usage: true } })).toBeDefined();
  });

  it("status 429 is the SDK's rate limit error, with its date", async () => {
    const retryAfter = new Date("2030-01-02T03:04:05Z");
    await using server = await startModelServer({
      script: [turn.error(429, { retryAfter, code: "insufficient_quota", message: "no money" })],
    });
    const error = await connect(server)
      .chat.completions.create({ model: MODEL, messages })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ code: "insufficient_quota", error: { message: "no money" } });
    expect((error as { headers: Headers }).headers.get("retry-after")).toBe("Wed, 02 Jan 2030 03:04:05 GMT");
  });

  it("an error object in the stream is thrown by the SDK", async () => {
    await using server = await startModelServer({
      script: [turn.withFault({ kind: "stream-error", error: "overloaded" })],
    });
    const stream = await connect(server).chat.completions.create({ model: MODEL, messages, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toMatchObject({ code: "server_is_overloaded" });
  });

  it("answers Azure's SDK under its deployment path", async () => {
    await using server = await startModelServer({ script: [turn.text("hello")] });
    const client = new AzureOpenAI({
      apiKey: "sk-azure",
      endpoint: server.url,
      apiVersion: "2024-10-21",
      deployment: "d1",
    });
    const completion = await client.chat.completions.create({ model: "d1", messages });
    expect(completion.choices[0]!.message.content).toBe("hello");
    expect(server.requests[0]).toMatchObject({
      path: "/openai/deployments/d1/chat/completions",
      query: { "api-version": "2024-10-21" },
    });
  });

  it("lists models", async () => {
    await using server = await startModelServer({ listings: { models: [{ id: "a" }, { id: "b" }] } });
    expect((await connect(server).models.list()).data.map((model) => model.id)).toEqual(["a", "b"]);
  });
});

describe("the rules of Chat Completions", () => {
  let server: ModelServer;
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    const read = await connect(server).chat.completions.create({
      model: MODEL,
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 100,
      tool_choice: "auto",
      tools: [
        { type: "function", function: { name: "read", description: "reads", parameters, strict: true } },
        { type: "function", function: { name: "list", parameters: { type: "object" } } },
      ],
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "read", arguments: "{}" } },
            { id: "c2", type: "function", function: { name: "list", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "one" },
        { role: "tool", tool_call_id: "c2", content: "two" },
        { role: "user", content: "go on" },
      ],
    });
    for await (const _ of read);
  });
  afterAll(() => server.close());

  it("accept a tool round with an image as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const rules: Rule[] = [
    ["a result without its call", set("messages.3.tool_call_id", "c9"), "role 'tool' must be a response"],
    ["a result in front of everything", (b) => b.messages.unshift(b.messages[3]), "role 'tool' must be a response"],
    ["a call without result", drop("messages.4"), "Missing responses: c2"],
    ["duplicate call ids", set("messages.2.tool_calls.1.id", "c1"), "duplicate id"],
    ["an empty list of calls", set("messages.2.tool_calls", []), "too short"],
    ["arguments that are no string", set("messages.2.tool_calls.0.function.arguments", {}), "expected a string"],
    ["a result without call id", drop("messages.3.tool_call_id"), "tool_call_id"],
    ["a message without content", set("messages.1.content", null), "content"],
    ["an empty content list", set("messages.1.content", []), "content"],
    ["an image in a system message", set("messages.0.content", [{ type: "image_url" }]), "image_url"],
    ["an unknown role", set("messages.1.role", "model"), "role"],
    ["an unknown field", set("foo", 1), "Unknown parameter: 'foo'"],
    ["an unknown field of a message", set("messages.1.id", 1), "messages[1].id"],
    ["no model", drop("model"), "model"],
    ["no messages", set("messages", []), "messages"],
    ["two output limits", set("max_tokens", 5), "max_completion_tokens"],
    ["stream options without a stream", drop("stream"), "stream_options"],
    ["a choice without tools", drop("tools"), "tool_choice"],
    ["a tool name with a dot", set("tools.0.function.name", "a.b"), "pattern"],
    ["an open strict schema", drop("tools.0.function.parameters.additionalProperties"), "additionalProperties"],
    ["a flat tool", set("tools.0", { type: "function", name: "x" }), "tools[0].function"],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({
      type: "invalid_request_error",
      message: expect.stringContaining(message),
    });
  });

  it("refuse a missing key with 401", async () => {
    const original = server.requests[0]!;
    const { authorization: _, ...headers } = headersOf(original);
    const answer = await fetch(server.url + original.path, { method: "POST", headers, body: original.text });
    expect(answer.status).toBe(401);
  });
});
