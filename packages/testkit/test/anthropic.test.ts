import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, redactedThinking, startModelServer, text, thinking, turn } from "../src/index.ts";
import { signatureOf } from "../src/resolve.ts";
import { drop, headersOf, PIXEL, type Rule, resend, set } from "./mutate.ts";

const MODEL = "claude-opus-4-8";

const connect = (server: ModelServer) =>
  new Anthropic({ apiKey: "sk-test", authToken: null, baseURL: server.baseUrl("anthropic"), maxRetries: 0 });

const hello = { model: MODEL, max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }] };

const rich = turn.blocks(
  [
    thinking("let me see"),
    redactedThinking("opaque"),
    text("Grüße 🎉 "),
    call({ name: "read", args: { path: "ä.txt" }, id: "t1" }),
  ],
  { usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 }, deltaChars: 3 },
);

const richContent = [
  { type: "thinking", thinking: "let me see", signature: signatureOf("let me see") },
  { type: "redacted_thinking", data: "opaque" },
  { type: "text", text: "Grüße 🎉 " },
  { type: "tool_use", id: "t1", name: "read", input: { path: "ä.txt" } },
];

describe("Anthropic's SDK reads the scripted model", () => {
  it("a whole message with thinking, text, call and usage", async () => {
    await using server = await startModelServer({ script: [rich] });
    const message = await connect(server).messages.create(hello);
    expect(message.content).toMatchObject(richContent);
    expect(message).toMatchObject({ model: MODEL, stop_reason: "tool_use" });
    expect(message.usage).toMatchObject({
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 40,
    });
  });

  it.each([
    ["plain", {}],
    ["one byte at a time", { chunk: 1 }],
    ["split characters", { chunk: "split-multibyte" as const }],
    ["CRLF, pings", { crlf: true, pings: true }],
    ["gzip", { gzip: true }],
  ])("the same message as a stream: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const message = await connect(server).messages.stream(hello).finalMessage();
    expect(message.content).toMatchObject(richContent);
    expect(message.usage).toMatchObject({ input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30 });
    expect(message.stop_reason).toBe("tool_use");
  });

  it("counts tokens and lists models", async () => {
    await using server = await startModelServer({ listings: { models: [{ id: "claude-x" }] } });
    const client = connect(server);
    const counted = await client.messages.countTokens({ model: MODEL, messages: hello.messages });
    expect(counted.input_tokens).toBe(Math.ceil(server.requests[0]!.rawBody.length / 4));
    expect((await client.models.list()).data.map((model) => model.id)).toEqual(["claude-x"]);
  });

  it.each([
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [401, Anthropic.AuthenticationError, "authentication_error"],
    [403, Anthropic.PermissionDeniedError, "permission_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
    [529, Anthropic.InternalServerError, "overloaded_error"],
  ])("status %i is the SDK's error of that name", async (status, type, name) => {
    await using server = await startModelServer({ script: [turn.error(status, { retryAfter: 7 })] });
    const error = await connect(server)
      .messages.create(hello)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, requestID: "req_testkit_1", error: { error: { type: name } } });
    expect((error as { headers: Headers }).headers.get("retry-after")).toBe("7");
  });

  it("an overload in the stream is an API error", async () => {
    await using server = await startModelServer({
      script: [turn.withFault({ kind: "stream-error", error: "overloaded" })],
    });
    await expect(connect(server).messages.stream(hello).finalMessage()).rejects.toThrow(/overloaded_error/);
  });
});

describe("Anthropic's rules", () => {
  let server: ModelServer;
  const marker = { type: "ephemeral" as const };
  const schema = { type: "object" as const, properties: { path: { type: "string" } } };
  const loop: Anthropic.MessageCreateParamsNonStreaming = {
    model: "claude-sonnet-4-5",
    max_tokens: 4000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    system: [{ type: "text", text: "be brief", cache_control: marker }],
    tools: [
      { name: "read", description: "reads", input_schema: schema },
      { name: "list", description: "lists", input_schema: schema, cache_control: marker },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: signatureOf("hm") },
          { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "t2", name: "list", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "one" },
          { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "two" }], cache_control: marker },
          { type: "text", text: "and go on", cache_control: marker },
        ],
      },
    ],
  };

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    await connect(server).messages.create(loop);
  });
  afterAll(() => server.close());

  it("accept a tool loop with thinking, images and four cache markers as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const rules: Rule[] = [
    ["a result without its call", set("messages.2.content.0.tool_use_id", "t9"), "unexpected `tool_use_id`"],
    ["a call without a result", (b) => void b.messages[2].content.splice(0, 1), "without `tool_result` blocks"],
    ["an unanswered last call", (b) => void b.messages.pop(), "t1, t2"],
    ["text before results", (b) => void b.messages[2].content.reverse(), "without `tool_result` blocks"],
    ["two results of one call", set("messages.2.content.1.tool_use_id", "t1"), "single result"],
    ["duplicate call ids", set("messages.1.content.2.id", "t1"), "must be unique"],
    ["a call id with foreign letters", set("messages.1.content.1.id", "a|b"), "pattern"],
    ["a call input that is no object", set("messages.1.content.1.input", "{}"), "dictionary"],
    ["thinking without signature", drop("messages.1.content.0.signature"), "signature: Field required"],
    ["an empty signature", set("messages.1.content.0.signature", ""), "Invalid `signature`"],
    ["changed thinking", set("messages.1.content.0.thinking", "hmm"), "Invalid `signature`"],
    ["a tool loop without its thinking", drop("messages.1.content.0"), "Expected `thinking`"],
    ["a marker on thinking", set("messages.1.content.0.cache_control", marker), "Extra inputs"],
    ["five markers", set("tools.0.cache_control", marker), "maximum of 4"],
    ["a long marker after a short one", set("messages.2.content.2.cache_control.ttl", "1h"), "ttl"],
    ["an empty text block", set("messages.0.content.0.text", ""), "non-empty"],
    ["a blank text block", set("messages.0.content.0.text", " \n"), "non-whitespace"],
    ["an empty message", set("messages.0.content", []), "non-empty content"],
    ["an empty system block", set("system.0.text", ""), "non-empty"],
    ["an unknown field", set("foo", 1), "foo: Extra inputs"],
    ["an unknown field of a message", set("messages.0.name", "x"), "messages.0.name: Extra inputs"],
    ["an unknown field of a block", set("messages.0.content.0.kind", "x"), "Extra inputs"],
    ["an unknown field of metadata", set("metadata", { session_id: "x" }), "metadata.session_id: Extra inputs"],
    ["thinking at the end of a message", (b) => b.messages[1].content.splice(1, 2), "final block"],
    ["a beta field without its header", set("context_management", {}), "context_management: Extra inputs"],
    ["an unknown block", set("messages.0.content.0.type", "input_text"), "expected tags"],
    ["an assistant at the start", drop("messages.0"), 'must use the "user" role'],
    ["two user messages in a row", (b) => void b.messages.splice(1, 0, b.messages[0]), "must alternate"],
    ["a system role", set("messages.0.role", "system"), "system"],
    ["no max_tokens", drop("max_tokens"), "max_tokens: Field required"],
    ["no model", drop("model"), "model: Field required"],
    ["a budget above max_tokens", set("thinking.budget_tokens", 4000), "greater than"],
    ["a budget below 1024", set("thinking.budget_tokens", 1000), "1024"],
    ["a temperature with thinking", set("temperature", 0.5), "temperature"],
    ["a forced call with thinking", set("tool_choice", { type: "any" }), "forces tool use"],
    [
      "a choice of an unknown tool",
      (b) => {
        delete b.thinking;
        b.tool_choice = { type: "tool", name: "nope" };
      },
      "not found",
    ],
    [
      "a choice without tools",
      (b) => {
        b.messages = [{ role: "user", content: "x" }];
        delete b.tools;
        b.tool_choice = { type: "auto" };
      },
      "while providing tools",
    ],
    ["tool blocks without tools", drop("tools"), "tools: Field required"],
    ["two tools of one name", set("tools.0.name", "list"), "unique"],
    ["a tool name with a dot", set("tools.0.name", "a.b"), "pattern"],
    ["a schema that is no object", set("tools.0.input_schema.type", "array"), "'object'"],
    ["an image of an unknown type", set("messages.0.content.1.source.media_type", "image/bmp"), "media_type"],
    [
      "an image in an error result",
      (b) => {
        b.messages[2].content[0].is_error = true;
        b.messages[2].content[0].content = [b.messages[0].content[1]];
      },
      "is_error",
    ],
    ["a blank stop sequence", set("stop_sequences", [" "]), "non-whitespace"],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(JSON.parse(answer.text).error.message).toContain(message);
    expect(server.requests.at(-1)!.refused).toContain(message);
  });

  it("refuse prefill on models that do not take it, and trailing blanks on those that do", async () => {
    const prefill = { role: "assistant", content: "Sure: " };
    const start = (model: string) =>
      resend(server, server.requests[0]!, (b) => {
        delete b.thinking;
        b.model = model;
        b.messages = [{ role: "user", content: "x" }, prefill];
      });
    expect((await start("claude-opus-4-6")).text).toContain("prefill");
    expect((await start("claude-sonnet-4-5")).text).toContain("trailing whitespace");
  });

  it("refuse a missing key with 401 and a missing version header with 400; take the key in either header", async () => {
    const original = server.requests[0]!;
    const { authorization, ...keyless } = headersOf(original);
    const { "anthropic-version": _, ...versionless } = headersOf(original);
    const send = async (headers: Record<string, string>) =>
      (await fetch(server.url + original.path, { method: "POST", headers, body: original.text })).status;
    expect(authorization).toBe("Bearer sk-test");
    expect(await send(keyless)).toBe(401);
    expect(await send({ ...keyless, "x-api-key": "sk-test" })).toBe(200);
    expect(await send(versionless)).toBe(400);
  });

  it("do not ask thinking of an adaptive model's tool loop", async () => {
    const answer = await resend(server, server.requests[0]!, (b) => {
      b.thinking = { type: "adaptive" };
      b.messages[1].content.shift();
    });
    expect(answer.status).toBe(200);
  });

  it("can be loosened field by field, or altogether", async () => {
    await using loose = await startModelServer({ script: () => turn.text("ok"), allowFields: ["foo"] });
    await using off = await startModelServer({ script: () => turn.text("ok"), strict: false });
    const original = server.requests[0]!;
    expect((await resend(loose, original, set("foo", 1))).status).toBe(200);
    expect((await resend(loose, original, set("bar", 1))).status).toBe(400);
    expect((await resend(off, original, drop("max_tokens"))).status).toBe(200);
  });
});
