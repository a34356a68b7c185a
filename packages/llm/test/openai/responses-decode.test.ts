import { describe, expect, it } from "vitest";
import { azureResponses, openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { servedAgain } from "../serve/again.ts";
import { decodeBody, decodeStream, log, recorded } from "./kit.ts";

const created = { type: "response.created", response: { id: "resp_1", model: "gpt-5.2-2026" } };
const usage = {
  input_tokens: 100,
  output_tokens: 80,
  total_tokens: 180,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens_details: { reasoning_tokens: 64 },
};
const message = (text: string): JsonObject => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const completed = (output: JsonObject[], more: JsonObject = {}) => ({
  type: "response.completed",
  response: { id: "resp_1", model: "gpt-5.2-2026", status: "completed", output, usage, ...more },
});
const reasoning: JsonObject = {
  type: "reasoning",
  id: "rs_1",
  summary: [
    { type: "summary_text", text: "First." },
    { type: "summary_text", text: "Then." },
  ],
  encrypted_content: "enc",
};
const call = (index: number): JsonObject => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: "weather",
  arguments: `{"n":${index}}`,
});

const turn = [
  created,
  { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
  { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
  { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "First." },
  { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
  { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "Then." },
  { type: "response.output_item.done", output_index: 0, item: reasoning },
  { type: "response.output_item.added", output_index: 1, item: { ...call(1), arguments: "" } },
  { type: "response.output_item.added", output_index: 2, item: { ...call(2), arguments: "" } },
  { type: "response.function_call_arguments.delta", output_index: 1, item_id: "other", delta: '{"n":' },
  { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"n":2}' },
  { type: "response.function_call_arguments.delta", output_index: 1, delta: "1}" },
  { type: "response.output_item.done", output_index: 1, item: call(1) },
  { type: "response.output_item.done", output_index: 2, item: { ...call(2), id: "fc_changed" } },
  completed([reasoning, call(1), { ...call(2), id: "fc_changed" }]),
];

describe("AD-11 stream", () => {
  it("AD-11 A-012 A-030 QK-01 the terminal event ends the stream: start with id and model, deltas, one finish with usage", () => {
    const { events, blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.in_progress" },
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
      { type: "response.content_part.added", output_index: 0, content_index: 0 },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hel" },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "lo" },
      { type: "response.output_text.done", output_index: 0, content_index: 0, text: "Hello" },
      { type: "response.output_item.done", output_index: 0, item: message("Hello") },
      completed([message("Hello")]),
    ]);
    expect(log(events)).toEqual([
      "stream_start",
      "text_start",
      "text_delta Hel",
      "text_delta lo",
      "text_end Hello",
      "finish stop",
    ]);
    expect(events[0]).toMatchObject({ id: "resp_1", model: "gpt-5.2-2026" });
    expect(blocks.response?.warnings).toEqual([]);
  });

  it("AD-11 G-64 reasoning and two interleaved calls, keyed by position although ids change", () => {
    const { events, blocks } = decodeStream(openaiResponses, turn);
    expect(log(events)).toEqual([
      "stream_start",
      "reasoning_start",
      "reasoning_delta First.",
      "reasoning_delta \n\n",
      "reasoning_delta Then.",
      "reasoning_end",
      "tool_call_start weather call_1|fc_1",
      "tool_call_start weather call_2|fc_2",
      'tool_call_delta {"n":',
      'tool_call_delta {"n":2}',
      "tool_call_delta 1}",
      'tool_call_end weather {"n":1}',
      'tool_call_end weather {"n":2}',
      "finish tool_calls",
    ]);
    const origin = { provider: "openai", model: "gpt-5.2" };
    expect(blocks.response?.message.content).toEqual([
      {
        kind: "thinking",
        thinking: { text: "First.\n\nThen.", signature: "enc", redacted: false, origin: { ...origin, itemId: "rs_1" } },
      },
      {
        kind: "tool_call",
        toolCall: {
          id: "call_1|fc_1",
          name: "weather",
          type: "function",
          arguments: { n: 1 },
          origin: { ...origin, itemId: "fc_1" },
        },
      },
      {
        kind: "tool_call",
        toolCall: {
          id: "call_2|fc_changed",
          name: "weather",
          type: "function",
          arguments: { n: 2 },
          origin: { ...origin, itemId: "fc_changed" },
        },
      },
    ]);
  });

  it("DM-07 A-011 A-012 the body of the same turn gives the same Response", () => {
    const streamed = decodeStream(openaiResponses, turn).blocks.response;
    const whole = decodeBody(openaiResponses, turn.at(-1)!["response" as never]).blocks.response;
    expect(whole).toEqual(streamed);
  });

  it("DM-09 A-036 A-041 A-043 QK-01 exact reasoning tokens: usage with cached and reasoning tokens", () => {
    const { blocks } = decodeStream(openaiResponses, turn);
    expect(blocks.response?.usage).toEqual({
      inputTokens: 100,
      outputTokens: 80,
      totalTokens: 180,
      cacheReadTokens: 64,
      reasoningTokens: 64,
      raw: usage,
    });
  });

  it("AD-11 G-64 arguments that come only with the done event, text without an added event", () => {
    const { events } = decodeStream(openaiResponses, [
      created,
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "hi" },
      { type: "response.output_item.added", output_index: 1, item: { ...call(1), arguments: "" } },
      { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"n":1}' },
      { type: "response.output_item.done", output_index: 1, item: { ...call(1), arguments: "" } },
      completed([]),
    ]);
    expect(log(events)).toEqual([
      "stream_start",
      "text_start",
      "text_delta hi",
      "tool_call_start weather call_1|fc_1",
      'tool_call_delta {"n":1}',
      'tool_call_end weather {"n":1}',
      "text_end hi",
      "finish tool_calls",
    ]);
  });

  it("AD-11 a server that only sends the completed event", () => {
    const { events } = decodeStream(openaiResponses, [completed([message("Hello")])]);
    expect(log(events)).toEqual(["stream_start", "text_start", "text_delta Hello", "text_end Hello", "finish stop"]);
  });

  it("AD-11 a final list that is numbered otherwise repeats nothing", () => {
    const { blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello" },
      { type: "response.output_item.done", output_index: 0, item: message("Hello") },
      completed([reasoning, message("Hello")]),
    ]);
    expect(blocks.response?.text).toBe("Hello");
    expect(blocks.response?.message.content).toHaveLength(1);
  });

  it("AD-11 free-form calls", () => {
    const item = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "patch", input: "" };
    const { blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "*** Begin" },
      { type: "response.output_item.done", output_index: 0, item: { ...item, input: "*** Begin" } },
      completed([]),
    ]);
    expect(blocks.response?.message.content).toMatchObject([
      { kind: "tool_call", toolCall: { type: "custom", arguments: "*** Begin" } },
    ]);
  });

  it("AD-11 an unknown item is kept raw and warned about, unknown events are passed on", () => {
    const item = { type: "hologram", id: "h_1" };
    const { events, blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.hologram.turning", output_index: 0 },
      { type: "response.output_item.done", output_index: 0, item },
      completed([item]),
    ]);
    expect(log(events)).toEqual(["stream_start", "provider_event", "provider_event", "finish stop"]);
    expect(blocks.response?.message.content).toMatchObject([{ kind: "unknown", raw: item }]);
    expect(blocks.response?.warnings).toHaveLength(1);
  });

  it("AD-11 a refusal is text with a warning", () => {
    const refusal = { type: "message", id: "m", content: [{ type: "refusal", refusal: "No." }] };
    const { blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "No." },
      completed([refusal]),
    ]);
    expect(blocks.response?.text).toBe("No.");
    expect(blocks.response?.warnings.map(({ code }) => code)).toEqual(["refusal"]);
  });

  it.each([
    ["completed", {}, { reason: "stop", raw: "completed" }],
    [
      "incomplete",
      { incomplete_details: { reason: "max_output_tokens" } },
      { reason: "length", raw: "max_output_tokens" },
    ],
    [
      "incomplete",
      { incomplete_details: { reason: "content_filter" } },
      { reason: "content_filter", raw: "content_filter" },
    ],
    ["cancelled", {}, { reason: "error", raw: "cancelled" }],
    ["zzz", {}, { reason: "other", raw: "zzz" }],
  ])("DM-08 X-04 G-66 status %s %j", (status, more, expected) => {
    const { blocks } = decodeStream(openaiResponses, [
      created,
      { type: "response.incomplete", response: { id: "resp_1", status, output: [message("x")], ...more } },
    ]);
    expect(blocks.response?.finishReason).toEqual(expected);
  });

  it.each([
    ["overload", { type: "error", code: "server_error", message: "busy" }, "error ServerError true"],
    [
      "rate limit",
      { type: "error", error: { code: "rate_limit_exceeded", message: "slow down" } },
      "error RateLimitError true",
    ],
    [
      "failed",
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "context_length_exceeded", message: "too long" } },
      },
      "error ContextLengthError false",
    ],
    ["garbage", "{nonsense", "error StreamError true"],
    ["not an object", "[1]", "error StreamError true"],
  ])("ER-04 %s after the start is the terminal error, with the partial text", (_, chunk, expected) => {
    const { events } = decodeStream(openaiResponses, [
      created,
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "par" },
      chunk,
    ]);
    expect(log(events).slice(-2)).toEqual(["text_end par", expected]);
    expect(events.at(-1)).toMatchObject({ partial: { text: "par" } });
  });

  it("ER-04 a stream that is cut has no terminal event of its own", () => {
    const { blocks } = decodeStream(openaiResponses, turn.slice(0, -1));
    expect(blocks.terminal).toBe(false);
  });

  it("AD-50 Azure answers keep the caller's model id", () => {
    const { blocks } = decodeStream(azureResponses, [created, completed([message("x")])]);
    expect(blocks.response?.model).toBe("gpt-5.2");
  });
});

servedAgain(recorded);
