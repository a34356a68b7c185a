import type { ConverseCommandInput, ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type ModelServer, redactedThinking, startModelServer, text, thinking, turn } from "../src/index.ts";
import { signatureOf } from "../src/resolve.ts";
import { loadBedrockSdk } from "./bedrock-sdk.ts";
import { drop, headersOf, PIXEL, type Rule, resend, set } from "./mutate.ts";

const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand, NodeHttpHandler } = loadBedrockSdk();

const MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0";

const connect = (server: ModelServer) =>
  new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: server.baseUrl("bedrock"),
    credentials: { accessKeyId: "AK", secretAccessKey: "SK" },
    requestHandler: new NodeHttpHandler(),
    maxAttempts: 1,
  });

const hello: ConverseCommandInput = { modelId: MODEL, messages: [{ role: "user", content: [{ text: "hi" }] }] };

const rich = turn.blocks(
  [
    thinking("let me see"),
    redactedThinking("opaque"),
    text("Grüße 🎉 "),
    call({ name: "read", args: { path: "ä" }, id: "t1" }),
  ],
  { usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 4 }, deltaChars: 3 },
);

async function collect(stream: AsyncIterable<ConverseStreamOutput>) {
  const seen = { text: "", thinking: "", signature: "", input: "", stop: "", usage: {} as object | undefined };
  for await (const event of stream) {
    const delta = event.contentBlockDelta?.delta;
    seen.text += delta?.text ?? "";
    seen.thinking += delta?.reasoningContent?.text ?? "";
    seen.signature += delta?.reasoningContent?.signature ?? "";
    seen.input += delta?.toolUse?.input ?? "";
    seen.stop += event.messageStop?.stopReason ?? "";
    seen.usage = event.metadata?.usage ?? seen.usage;
  }
  return seen;
}

describe("AWS's SDK reads the scripted model", () => {
  it("a whole answer with reasoning, text, call and usage", async () => {
    await using server = await startModelServer({ script: [rich] });
    const answer = await connect(server).send(new ConverseCommand(hello));
    expect(answer.output?.message?.content).toMatchObject([
      { reasoningContent: { reasoningText: { text: "let me see", signature: signatureOf("let me see") } } },
      { reasoningContent: { redactedContent: new Uint8Array(Buffer.from("opaque")) } },
      { text: "Grüße 🎉 " },
      { toolUse: { toolUseId: "t1", name: "read", input: { path: "ä" } } },
    ]);
    expect(answer).toMatchObject({
      stopReason: "tool_use",
      usage: { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 },
    });
    expect(server.requests[0]).toMatchObject({ model: MODEL, dialect: "bedrock" });
  });

  it.each([
    ["plain", {}],
    ["seven bytes at a time", { chunk: 7 }],
  ])("the same answer as binary frames with checksums: %s", async (_, options) => {
    await using server = await startModelServer({ script: [{ ...rich, ...options }] });
    const answer = await connect(server).send(new ConverseStreamCommand(hello));
    expect(await collect(answer.stream!)).toMatchObject({
      text: "Grüße 🎉 ",
      thinking: "let me see",
      signature: signatureOf("let me see"),
      input: '{"path":"ä"}',
      stop: "tool_use",
      usage: { inputTokens: 10, outputTokens: 20 },
    });
  });

  it.each([
    [400, "ValidationException"],
    [403, "AccessDeniedException"],
    [404, "ResourceNotFoundException"],
    [429, "ThrottlingException"],
    [500, "InternalServerException"],
    [503, "ServiceUnavailableException"],
  ])("status %i is %s", async (status, name) => {
    await using server = await startModelServer({ script: [turn.error(status, { message: "why" })] });
    await expect(connect(server).send(new ConverseCommand(hello))).rejects.toMatchObject({ name, message: "why" });
  });

  it("an exception frame is thrown by the SDK", async () => {
    await using server = await startModelServer({
      script: [turn.withFault({ kind: "stream-error", error: "rate_limit" })],
    });
    const answer = await connect(server).send(new ConverseStreamCommand(hello));
    await expect(collect(answer.stream!)).rejects.toMatchObject({ name: "ThrottlingException" });
  });
});

describe("Bedrock's rules", () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer({ script: () => turn.text("ok") });
    const tool = (name: string) => ({
      toolSpec: { name, description: "x", inputSchema: { json: { type: "object" } } },
    });
    await connect(server).send(
      new ConverseCommand({
        modelId: MODEL,
        system: [{ text: "be brief" }, { cachePoint: { type: "default" } }],
        inferenceConfig: { maxTokens: 100 },
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } },
        toolConfig: {
          tools: [tool("read"), tool("list"), { cachePoint: { type: "default" } }],
          toolChoice: { auto: {} },
        },
        messages: [
          {
            role: "user",
            content: [{ text: "look" }, { image: { format: "png", source: { bytes: Buffer.from(PIXEL, "base64") } } }],
          },
          {
            role: "assistant",
            content: [
              { reasoningContent: { reasoningText: { text: "hm", signature: signatureOf("hm") } } },
              { toolUse: { toolUseId: "t1", name: "read", input: {} } },
              { toolUse: { toolUseId: "t2", name: "list", input: {} } },
            ],
          },
          {
            role: "user",
            content: [
              { toolResult: { toolUseId: "t1", content: [{ text: "one" }] } },
              { toolResult: { toolUseId: "t2", content: [{ text: "two" }], status: "error" } },
              { cachePoint: { type: "default" } },
            ],
          },
        ],
      }),
    );
  });
  afterAll(() => server.close());

  it("accept a signed tool round with reasoning and an image as the SDK writes it", async () => {
    expect(server.requests[0]!.refused).toBeUndefined();
    expect(server.requests[0]!.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(await resend(server, server.requests[0]!, () => {})).toMatchObject({ status: 200 });
  });

  const point = { cachePoint: { type: "default" } };
  const signature = "messages.1.content.0.reasoningContent.reasoningText.signature";
  const rules: Rule[] = [
    ["a result without its call", set("messages.2.content.0.toolResult.toolUseId", "t9"), "Expected toolResult blocks"],
    ["a call without its result", drop("messages.2.content.1"), "following Ids: t2"],
    ["more results than calls", drop("messages.1.content.2"), "exceeds the number"],
    ["an unanswered last call", drop("messages.2"), "following Ids: t1, t2"],
    ["duplicate call ids", set("messages.1.content.2.toolUse.toolUseId", "t1"), "unique"],
    ["a call id with foreign letters", set("messages.1.content.1.toolUse.toolUseId", "a|b"), "toolUseId"],
    ["a call input that is no object", set("messages.1.content.1.toolUse.input", "{}"), "json object"],
    ["reasoning without signature", drop(signature), "signature"],
    ["reasoning with another's signature", set(signature, signatureOf("other")), "signature"],
    ["tool blocks without tools", drop("toolConfig"), "toolConfig"],
    ["two tools of one name", set("toolConfig.tools.0.toolSpec.name", "list"), "already defined"],
    ["a blank text", set("messages.0.content.0.text", " "), "blank"],
    ["an empty message", set("messages.0.content", []), "empty"],
    ["a block of two kinds", set("messages.0.content.0.image", {}), "exactly one"],
    ["an assistant at the start", drop("messages.0"), "start with a user message"],
    ["two user messages in a row", drop("messages.1"), "alternate"],
    ["five cache points", (b) => b.messages[0].content.push(point, point), "cache points"],
    ["an unknown field", set("foo", 1), "foo"],
    ["an unknown inference parameter", set("inferenceConfig.topK", 1), "topK"],
  ];

  it.each(rules)("refuse %s", async (_, change, message) => {
    const answer = await resend(server, server.requests[0]!, change);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("x-amzn-errortype")).toBe("ValidationException");
    expect(JSON.parse(answer.text).message).toContain(message);
  });

  it("refuse a request without credentials with 403", async () => {
    const original = server.requests[0]!;
    const { authorization: _, ...headers } = headersOf(original);
    const answer = await fetch(server.url + original.path, { method: "POST", headers, body: original.text });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
  });
});
