import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { bedrockBaseUrl, bedrockEndpoint, bedrockRegion } from "../../src/protocols/bedrock/endpoint.ts";
import { bedrockConverse } from "../../src/protocols/bedrock/index.ts";
import { RateLimitError, ServerError } from "../../src/types/errors.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Frame } from "../../src/types/protocol.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { servedAgain } from "../serve/again.ts";
import { decodeBody, decodeFrames, encode, frames, log, modelRow, recorded } from "./support.ts";

const model = "anthropic.claude-x-v1:0";
const provider = "amazon-bedrock";
const own = { provider, model };
const run = (request: Partial<Request>, more = {}) =>
  encode(bedrockConverse, provider, { model, messages: [Message.user("hi")], ...request }, more);
const png = Uint8Array.of(1, 2, 3);
const call = (id: string, name = "read", args = {}): ContentPart => ({
  kind: "tool_call",
  toolCall: { id, name, arguments: args, type: "function" },
});
const read: ToolDefinition = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };
const toolSpec = { name: "read", description: "Reads.", inputSchema: { json: read.parameters } };

describe("AD-60 Bedrock Converse request", () => {
  it("AD-60 A-303 a whole conversation: system, thinking replay, parallel calls, results with image and error", () => {
    const { json } = run({
      messages: [
        Message.system("be brief"),
        Message.user([
          { kind: "text", text: "look" },
          { kind: "image", image: { data: png, mediaType: "image/jpeg" } },
          { kind: "document", document: { data: png, fileName: "my_report.v2.pdf" } },
        ]),
        Message.assistant([
          { kind: "thinking", thinking: { text: "hm", signature: "s1", redacted: false, origin: own } },
          { kind: "redacted_thinking", thinking: { text: "", signature: "YWJj", redacted: true, origin: own } },
          call("t1", "read", { path: "a" }),
          call("t2"),
        ]),
        Message.toolResult({ toolCallId: "t1", content: "", images: [{ data: png }] }),
        Message.toolResult({ toolCallId: "t2", content: { code: 2 }, isError: true }),
        Message.toolResult({ toolCallId: "t3", content: "" }),
      ],
      tools: [read],
      temperature: 0.5,
      maxTokens: 100,
      stopSequences: ["END"],
    });
    expect(json).toEqual({
      toolConfig: { tools: [{ toolSpec }] },
      system: [{ text: "be brief" }],
      messages: [
        {
          role: "user",
          content: [
            { text: "look" },
            { image: { format: "jpeg", source: { bytes: "AQID" } } },
            { document: { format: "pdf", name: "my-report-v2-pdf", source: { bytes: "AQID" } } },
          ],
        },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "hm", signature: "s1" } } },
            { reasoningContent: { redactedContent: "YWJj" } },
            { toolUse: { toolUseId: "t1", name: "read", input: { path: "a" } } },
            { toolUse: { toolUseId: "t2", name: "read", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "t1", content: [{ image: { format: "png", source: { bytes: "AQID" } } }] } },
            { toolResult: { toolUseId: "t2", content: [{ text: '{"code":2}' }], status: "error" } },
            { toolResult: { toolUseId: "t3", content: [{ text: "(no output)" }] } },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 0.5, stopSequences: ["END"] },
    });
  });

  it("AD-60 addresses are refused: Converse takes bytes", () => {
    const messages = [Message.user([{ kind: "image", image: { url: "https://x.test/a.png" } }])];
    expect(() => run({ messages })).toThrow(expect.objectContaining({ errorCode: "unsupported_content" }));
  });

  it("AD-60 AD-30 DM-06 Claude gets one of temperature and topP, and with thinking neither; other makers get both", () => {
    const sampling = { temperature: 0.3, topP: 0.5 };
    const config = (request: Partial<Request>, more = {}) => {
      const { json, warnings } = run({ ...sampling, ...request }, more);
      const { temperature, topP } = (json["inferenceConfig"] ?? {}) as JsonObject;
      return [temperature, topP, warnings.length];
    };
    expect(config({})).toEqual([0.3, undefined, 1]);
    const budget = { model: modelRow(model, { thinking: { mode: "budget" } }) };
    expect(config({ reasoningEffort: "low" }, budget)).toEqual([undefined, undefined, 2]);
    expect(config({ providerOptions: { [provider]: { thinking: { type: "disabled" } } } })).toEqual([
      0.3,
      undefined,
      1,
    ]);
    expect(config({ model: "meta.llama4-v1:0" })).toEqual([0.3, 0.5, 0]);
  });

  const choices = [
    [{ mode: "auto" }, { auto: {} }],
    [{ mode: "required" }, { any: {} }],
    [{ mode: "named", toolName: "read" }, { tool: { name: "read" } }],
  ] as const;
  it.each(choices)("TC-03 A-060 Bedrock tool choice %j", (toolChoice, expected) => {
    expect(run({ tools: [read], toolChoice }).json["toolConfig"]).toEqual({
      tools: [{ toolSpec }],
      toolChoice: expected,
    });
  });

  it("TC-03 A-060 none leaves the tools out; with tool blocks in the history they stay, with a warning", () => {
    expect(run({ tools: [read], toolChoice: { mode: "none" } }).json).not.toHaveProperty("toolConfig");
    const messages = [
      Message.user("q"),
      Message.assistant([call("t")]),
      Message.toolResult({ toolCallId: "t", content: "r" }),
    ];
    const kept = run({ tools: [read], toolChoice: { mode: "none" }, messages });
    expect(kept.json["toolConfig"]).toEqual({ tools: [{ toolSpec }] });
    expect(kept.warnings).toMatchObject([{ code: "unsupported_parameter" }]);
  });

  it("AD-60 effort on both kinds of Claude and on other makers' models", () => {
    const fields = (more: object) =>
      run({ reasoningEffort: "high", maxTokens: 100 }, { model: modelRow(model, more) }).json;
    expect(fields({ thinking: { mode: "adaptive" } })).toMatchObject({
      inferenceConfig: { maxTokens: 100 },
      additionalModelRequestFields: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    });
    expect(fields({ thinking: { mode: "budget" } })).toMatchObject({
      inferenceConfig: { maxTokens: 20_580 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 20_480 } },
    });
    const effort = { model: modelRow("openai.gpt-oss", { thinking: { mode: "effort" } }) };
    expect(run({ model: "openai.gpt-oss", reasoningEffort: "high" }, effort).json).toMatchObject({
      additionalModelRequestFields: { reasoning_effort: "high" },
    });
    expect(fields({ thinking: { mode: "effort" } })).toMatchObject({
      additionalModelRequestFields: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    });
  });

  it("PC-01 cache points at Anthropic's places, only for models that take them", () => {
    const request = {
      tools: [read],
      messages: [Message.system("s"), Message.user("1"), Message.assistant("a"), Message.user("2")],
    };
    const point = { cachePoint: { type: "default" } };
    const { json } = run(request, { model: modelRow(model, { supportsCachePoint: true }) });
    expect(json["toolConfig"]).toEqual({ tools: [{ toolSpec }, point] });
    expect(json["system"]).toEqual([{ text: "s" }, point]);
    expect(json["messages"]).toEqual([
      { role: "user", content: [{ text: "1" }, point] },
      { role: "assistant", content: [{ text: "a" }] },
      { role: "user", content: [{ text: "2" }, point] },
    ]);
    expect(run(request).text).not.toContain("cachePoint");
  });

  it("CL-09 provider options merge into the body, nested parameters one level deeper", () => {
    const { json } = run({
      maxTokens: 5,
      providerOptions: {
        [provider]: {
          additionalModelRequestFields: { top_k: 3 },
          guardrailConfig: { guardrailIdentifier: "g" },
          messages: [],
        },
      },
    });
    expect(json).toEqual({
      messages: [{ role: "user", content: [{ text: "hi" }] }],
      inferenceConfig: { maxTokens: 5 },
      additionalModelRequestFields: { top_k: 3 },
      guardrailConfig: { guardrailIdentifier: "g" },
    });
  });

  it("AD-60 paths, regions, and counting", () => {
    const baseUrl = bedrockBaseUrl(bedrockRegion({ AWS_DEFAULT_REGION: "eu-west-1" }));
    expect(bedrockEndpoint({ operation: "stream", wireModel: model, baseUrl })).toBe(
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-x-v1%3A0/converse-stream",
    );
    expect(bedrockRegion({ AWS_REGION: "a", AWS_DEFAULT_REGION: "b" }, "c")).toBe("c");
    expect(bedrockRegion({ AWS_REGION: "a", AWS_DEFAULT_REGION: "b" })).toBe("a");
    expect(bedrockRegion({})).toBe("us-east-1");
    expect(run({ maxTokens: 3 }, { operation: "count_tokens" }).json).toEqual({
      input: { converse: { messages: [{ role: "user", content: [{ text: "hi" }] }] } },
    });
  });
});

describe("AD-60 Bedrock stream", () => {
  const frame = (event: string, data: JsonObject): Frame => ({ event, data: JSON.stringify({ ...data, p: "abcd" }) });
  const delta = (contentBlockIndex: number, body: JsonObject) =>
    frame("contentBlockDelta", { contentBlockIndex, delta: body });
  const stop = (contentBlockIndex: number) => frame("contentBlockStop", { contentBlockIndex });
  const toolStart = (contentBlockIndex: number, toolUseId: string, name: string) =>
    frame("contentBlockStart", { contentBlockIndex, start: { toolUse: { toolUseId, name } } });
  const usage = {
    inputTokens: 10,
    outputTokens: 30,
    totalTokens: 46,
    cacheReadInputTokens: 4,
    cacheWriteInputTokens: 2,
  };
  const turn = [
    frame("messageStart", { role: "assistant" }),
    delta(0, { reasoningContent: { text: "hmm " } }),
    delta(0, { reasoningContent: { text: "yes" } }),
    delta(0, { reasoningContent: { signature: "s1" } }),
    stop(0),
    delta(1, { text: "Let me look." }),
    stop(1),
    toolStart(2, "t1", "read"),
    delta(2, { toolUse: { input: '{"path":' } }),
    delta(2, { toolUse: { input: '"a"}' } }),
    stop(2),
    toolStart(3, "t2", "list"),
    stop(3),
    frame("messageStop", { stopReason: "tool_use" }),
    frame("metadata", { usage, metrics: { latencyMs: 5 } }),
  ];
  const options = { provider, request: { model } };

  it("AD-60 A-303 the same turn gives the same event log as Anthropic's own stream", () => {
    const anthropic = frames(
      { type: "message_start", message: { id: "m", usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hmm " } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "yes" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s1" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me look." } },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "t1", name: "read", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"path":' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"a"}' } },
      { type: "content_block_stop", index: 2 },
      { type: "content_block_start", index: 3, content_block: { type: "tool_use", id: "t2", name: "list", input: {} } },
      { type: "content_block_stop", index: 3 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 30 } },
      { type: "message_stop" },
    );
    const bedrock = decodeFrames(bedrockConverse, options, turn);
    expect(log(bedrock.events)).toEqual(log(decodeFrames(anthropicMessages, options, anthropic).events));
    expect(bedrock.response?.usage).toEqual({
      inputTokens: 10,
      outputTokens: 30,
      totalTokens: 40,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 2,
      estimated: ["reasoningTokens"],
      raw: usage,
    });
  });

  it("DM-07 the whole body of the same turn gives the same message, reason and counts", () => {
    const body = decodeBody(bedrockConverse, options, {
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "hmm yes", signature: "s1" } } },
            { text: "Let me look." },
            { toolUse: { toolUseId: "t1", name: "read", input: { path: "a" } } },
            { toolUse: { toolUseId: "t2", name: "list", input: {} } },
          ],
        },
      },
      stopReason: "tool_use",
      usage,
    }).response;
    const streamed = decodeFrames(bedrockConverse, options, turn).response;
    expect({ ...body, raw: undefined }).toEqual({ ...streamed, raw: undefined });
  });

  it("AD-60 redacted reasoning keeps its bytes", () => {
    const { response } = decodeFrames(bedrockConverse, options, [
      delta(0, { reasoningContent: { redactedContent: "YWJj" } }),
      stop(0),
      frame("messageStop", { stopReason: "end_turn" }),
    ]);
    expect(response?.message.content).toMatchObject([{ kind: "redacted_thinking", thinking: { signature: "YWJj" } }]);
    expect(response?.warnings).toMatchObject([{ code: "missing_terminal" }]);
  });

  const reasons = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "tool_calls"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["zzz", "other"],
  ] as const;
  it.each(reasons)("DM-08 Bedrock %s is %s", (raw, reason) => {
    const { response } = decodeFrames(bedrockConverse, options, [
      delta(0, { text: "a" }),
      frame("messageStop", { stopReason: raw }),
      frame("metadata", { usage }),
    ]);
    expect(response?.finishReason).toEqual({ reason, raw });
  });

  it("ER-04 exception frames are classified by name, unknown events passed on, a cut stream is no answer", () => {
    const exception = (name: string): Frame => ({ exception: name, data: JSON.stringify({ message: "slow down" }) });
    const throttled = decodeFrames(bedrockConverse, options, [
      delta(0, { text: "a" }),
      exception("throttlingException"),
    ]);
    expect(throttled.error).toBeInstanceOf(RateLimitError);
    expect(log(throttled.events).slice(-2)).toEqual(["text_end text_0 a", "error RateLimitError"]);
    const broken = decodeFrames(bedrockConverse, options, [exception("modelStreamErrorException")]);
    expect(broken.error).toBeInstanceOf(ServerError);
    const cut = decodeFrames(bedrockConverse, options, [frame("somethingNew", { a: 1 }), delta(0, { text: "a" })]);
    expect(cut.response).toBeUndefined();
    expect(cut.events[1]).toEqual({ type: "provider_event", raw: { a: 1, p: "abcd" } });
  });
});

servedAgain(recorded);
