import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, startModelServer, text, thinking, turn } from "../src/index.ts";
import { signatureOf } from "../src/resolve.ts";
import { drop, headersOf, PIXEL, type Rule, resend, set } from "./mutate.ts";

const MODEL = "gpt-5.2";

const connect = (server: ModelServer) =>
  new OpenAI({ apiKey: "sk-test", baseURL: server.baseUrl("openai"), maxRetries: 0 });

const rich = turn.blocks(
  [
    thinking("let me see"),
    text("Grüße 🎉 "),
    call({ name: "read", args: { path: "ä" }, id: "call_1" }),
    call({ name: "list", id: "call_2" }),
  ],
  { usage: { input: 10, output: 20, cacheRead: 3, reasoning: 4 }, deltaChars: 3 },
);

const richOutput = [
  {
    type: "reasoning",
    summary: [{ type: "summary_text", text: "let me see" }],
    encrypted_content: signatureOf("let me see"),
  },
  { type: "message", content: [{ type: "output_text", text: "Grüße 🎉 " }] },
  { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"ä"}' },
  { type: "function_call", call_id: "call_2", name: "list", arguments: "{}" },
];

describe("OpenAI's SDK reads the scripted model over Responses", () => {
  it("a whole response with reasoning, text, parallel calls and usage", async () => {
    await using server = await startModelServer({ script: [rich] });
    const response = await connect(server).responses.create({ model: MODEL, input: "hi" });
    expect(response.output).toMatchObject(richOutput);
    expect(response.output_text).toBe("Grüße 🎉 ");
    expect(response).toMatchObject({ status: "completed", model: MODEL });
    expect(response.usage).toMatchObject({
      input_tokens: 10,
      output_tokens: 20,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 4 },
    });
  });

  it.each([
    ["plain", {}],
    ["one byte at a time", { chunk: 1 }],
    ["split characters", { chunk: "split-multibyte" as const }],
    ["CRLF", { crlf: true }],
    ["gzip", { gzip: true }],
  ])("the same response as a stream: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const stream = connect(server).responses.stream({ model: MODEL, input: "hi" });
    const types: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      types.push(event.type);
      numbers.push(event.sequence_number);
    }
    const response = await stream.finalResponse();
    expect(response.output).toMatchObject(richOutput);
    expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 20 });
    expect(types[0]).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(numbers).toEqual([...numbers.keys()]);
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ] as const)("a stop by %s is an incomplete response", async (stop, reason) => {
    await using server = await startModelServer({ script: () => turn.text("half", { stop }) });
    const response = await connect(server).responses.create({ model: MODEL, input: "hi" });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason } });
  });

  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [503, OpenAI.InternalServerError],
  ])("status %i is the SDK's error of that name", async (status, type) => {
    await using server = await startModelServer({ script: [turn.error(status, { message: "why", retryAfterMs: 70 })] });
    const error = await connect(server)
      .responses.create({ model: MODEL, input: "hi" })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, error: { message: "why" }, requestID: "req_testkit_1" });
    expect((error as { headers: Headers }).headers.get("retry-after-ms")).toBe("70");
  });

  it("an error in the stream is a failed response", async () => {
    await using server = await startModelServer({
      script: [turn.withFault({ kind: "stream-error", error: "rate_limit" })],
    });
    const stream = await connect(server).responses.create({ model: MODEL, input: "hi", stream: true });
    let last: unknown;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ type: "response.failed", response: { error: { code: "rate_limit_exceeded" } } });
  });

  it("answers under Azure's prefix, with api-key and api-version", async () => {
    await using server = await startModelServer({ script: [turn.text("hello")] });
    const client = new OpenAI({
      apiKey: "unused",
      baseURL: server.baseUrl("azure"),
      defaultQuery: { "api-version": "v1" },
      defaultHeaders: { "api-key": "sk-azure", authorization: null },
    });
    expect((await client.responses.create({ model: "my-deployment", input: "hi" })).output_text).toBe("hello");
    expect(server.requests[0]).toMatchObject({ path: "/openai/v1/responses", query: { "api-version": "v1" } });
  });
});

describe("the rules of Responses", () => {
  let server: ModelServer;
  const parameters = {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  };

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    await connect(server).responses.create({
      model: MODEL,
      store: false,
      include: ["reasoning.encrypted_content"],
      instructions: "be brief",
      max_output_tokens: 1000,
      tools: [
        { type: "function", name: "read", description: "reads", parameters, strict: true },
        { type: "function", name: "list", parameters: { type: "object" }, strict: false },
      ],
      tool_choice: { type: "function", name: "read" },
      text: { format: { type: "json_schema", name: "answer", schema: parameters } },
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "opaque" },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call", call_id: "call_2", name: "list", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "one" },
        { type: "function_call_output", call_id: "call_2", output: "two" },
        { role: "assistant", content: "fine" },
        { role: "developer", content: "careful" },
      ],
    });
  });
  afterAll(() => server.close());

  it("accept a tool round with reasoning and an image as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const rules: Rule[] = [
    ["an output without its call", set("input.4.call_id", "call_9"), "No tool call found"],
    ["a call without output", drop("input.5"), "No tool output found for function call call_2"],
    ["a duplicate call id", set("input.3.call_id", "call_1"), "Duplicate"],
    ["a duplicate item id", set("input.3.id", "fc_1"), "Duplicate item"],
    ["an item id of another vendor", set("input.2.id", "toolu_1"), "begins with 'fc'"],
    ["a call id that is too long", set("input.2.call_id", "c".repeat(65)), "too long"],
    ["a call without call_id", drop("input.2.call_id"), "call_id"],
    ["reasoning without its following item", (b) => b.input.splice(2, 5), "required following item"],
    ["reasoning without content when nothing is stored", drop("input.1.encrypted_content"), "not persisted"],
    ["arguments that are no string", set("input.2.arguments", {}), "expected a string"],
    ["an output that is no string", set("input.4.output", { a: 1 }), "expected a string"],
    ["input parts in an assistant message", set("input.6.content", [{ type: "input_text", text: "x" }]), "output_text"],
    ["output parts in a user message", set("input.0.content.0.type", "output_text"), "input_text"],
    ["an unknown role", set("input.0.role", "tool"), "role"],
    ["an unknown field", set("foo", 1), "Unknown parameter: 'foo'"],
    ["an unknown field of an item", set("input.2.index", 1), "Unknown parameter: 'input[2].index'"],
    ["no model", drop("model"), "model"],
    ["no input", drop("input"), "input"],
    ["an empty input", set("input", []), "input"],
    ["a nested tool", set("tools.0", { type: "function", function: { name: "x" } }), "tools[0].name"],
    ["a tool name with a dot", set("tools.0.name", "a.b"), "pattern"],
    ["an open object in a strict schema", drop("tools.0.parameters.additionalProperties"), "additionalProperties"],
    ["an optional property in a strict schema", set("tools.0.parameters.required", []), "'required'"],
    ["a choice of an unknown tool", set("tool_choice.name", "nope"), "not found"],
    ["a format without name", drop("text.format.name"), "text.format.name"],
    ["too small an output limit", set("max_output_tokens", 1), ">= 16"],
    ["metadata that is no text", set("metadata", { a: 1 }), "metadata"],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect([400, 404]).toContain(answer.status);
    expect(JSON.parse(answer.text).error).toMatchObject({ message: expect.stringContaining(message) });
    expect(server.requests.at(-1)!.refused).toContain(message);
  });

  it("refuse a missing key with 401", async () => {
    const original = server.requests[0]!;
    const { authorization: _, ...headers } = headersOf(original);
    const answer = await fetch(server.url + original.path, { method: "POST", headers, body: original.text });
    expect(answer.status).toBe(401);
  });
});
