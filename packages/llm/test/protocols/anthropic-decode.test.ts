import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { ServerError, StreamError } from "../../src/types/errors.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { servedAgain } from "../serve/again.ts";
import { decodeBody, decodeFrames, frames, log, recorded } from "./support.ts";

const options = { provider: "anthropic", request: { model: "claude-x" } };
const usage = { input_tokens: 10, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 1 };
const messageStart: JsonObject = { type: "message_start", message: { id: "msg_1", model: "claude-x-1", usage } };
const start = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, body: JsonObject): JsonObject => ({ type: "content_block_delta", index, delta: body });
const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });
const ending = (reason: string, output = 30): JsonObject[] => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: output } },
  { type: "message_stop" },
];
const text = (index: number, ...deltas: string[]): JsonObject[] => [
  start(index, { type: "text", text: "" }),
  ...deltas.map((piece) => delta(index, { type: "text_delta", text: piece })),
  stop(index),
];

const wholeTurn = [
  messageStart,
  { type: "ping" },
  start(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "hmm " }),
  delta(0, { type: "thinking_delta", thinking: "yes" }),
  delta(0, { type: "signature_delta", signature: "s1" }),
  stop(0),
  ...text(1, "Let me ", "look."),
  start(2, { type: "tool_use", id: "toolu_1", name: "read", input: {} }),
  delta(2, { type: "input_json_delta", partial_json: "" }),
  delta(2, { type: "input_json_delta", partial_json: '{"path":' }),
  delta(2, { type: "input_json_delta", partial_json: '"a"}' }),
  stop(2),
  start(3, { type: "tool_use", id: "toolu_2", name: "list", input: {} }),
  stop(3),
  ...ending("tool_use"),
];

describe("AD-31 Anthropic response and stream", () => {
  it("AD-31 A-038 G-64 thinking, text and two tools become one event log", () => {
    const { events, response } = decodeFrames(anthropicMessages, options, frames(...wholeTurn));
    expect(log(events)).toEqual([
      "stream_start",
      "reasoning_start reasoning_0",
      "reasoning_delta reasoning_0 hmm ",
      "reasoning_delta reasoning_0 yes",
      "reasoning_end reasoning_0 hmm yes|s1|false",
      "text_start text_1",
      "text_delta text_1 Let me ",
      "text_delta text_1 look.",
      "text_end text_1 Let me look.",
      "tool_call_start 2 toolu_1 read",
      'tool_call_delta 2 {"path":',
      'tool_call_delta 2 "a"}',
      'tool_call_end 2 {"path":"a"}',
      "tool_call_start 3 toolu_2 list",
      "tool_call_end 3 ",
      "finish tool_calls tool_use",
    ]);
    expect(response?.message.content).toEqual([
      {
        kind: "thinking",
        thinking: {
          text: "hmm yes",
          signature: "s1",
          redacted: false,
          origin: { provider: "anthropic", model: "claude-x" },
        },
      },
      { kind: "text", text: "Let me look." },
      { kind: "tool_call", toolCall: { id: "toolu_1", name: "read", type: "function", arguments: { path: "a" } } },
      { kind: "tool_call", toolCall: { id: "toolu_2", name: "list", type: "function", arguments: {} } },
    ]);
    expect(response?.id).toBe("msg_1");
    expect(response?.model).toBe("claude-x-1");
  });

  it("DM-07 the whole body of the same turn gives the same message, reason and counts", () => {
    const body = decodeBody(anthropicMessages, options, {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x-1",
      content: [
        { type: "thinking", thinking: "hmm yes", signature: "s1" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
        { type: "tool_use", id: "toolu_2", name: "list", input: {} },
      ],
      stop_reason: "tool_use",
      usage: { ...usage, output_tokens: 30 },
    }).response;
    const streamed = decodeFrames(anthropicMessages, options, frames(...wholeTurn)).response;
    expect({ ...body, raw: undefined }).toEqual({ ...streamed, raw: undefined });
  });

  it("DM-09 A-047 X-16 counts come from message_start and are replaced by message_delta; thinking is estimated", () => {
    const { response } = decodeFrames(anthropicMessages, options, frames(...wholeTurn));
    expect(response?.usage).toEqual({
      inputTokens: 10,
      outputTokens: 30,
      totalTokens: 40,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 2,
      estimated: ["reasoningTokens"],
      raw: { ...usage, output_tokens: 30 },
    });
  });

  it("DM-09 a count of thinking tokens from the vendor replaces the estimate", () => {
    const { response } = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, ...text(0, "x"), {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 7 } },
      }),
    );
    expect(response?.usage.reasoningTokens).toBe(7);
    expect(response?.usage.estimated).toBeUndefined();
  });

  it("AD-31 A-024 a redacted block is a part without deltas", () => {
    const { events, response } = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, start(0, { type: "redacted_thinking", data: "abc" }), stop(0), ...ending("end_turn")),
    );
    expect(log(events)).toEqual([
      "stream_start",
      "reasoning_start reasoning_0",
      "reasoning_end reasoning_0 |abc|true",
      "finish stop end_turn",
    ]);
    expect(response?.message.content[0]).toMatchObject({ kind: "redacted_thinking", thinking: { signature: "abc" } });
  });

  it("AD-31 thinking that the vendor hides still leaves its signature", () => {
    const { response } = decodeFrames(
      anthropicMessages,
      options,
      frames(
        messageStart,
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "signature_delta", signature: "only" }),
        stop(0),
        ...ending("end_turn"),
      ),
    );
    expect(response?.message.content).toMatchObject([{ kind: "thinking", thinking: { text: "", signature: "only" } }]);
  });

  it("ER-04 AD-31 an overload in the middle is a retryable terminal error that keeps the text", () => {
    const { events, error } = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, start(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "half" }), {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      }),
    );
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ retryable: true, errorCode: "overloaded_error" });
    expect(log(events).slice(-2)).toEqual(["text_end text_0 half", "error ServerError"]);
    const last = events.at(-1);
    expect(last?.type === "error" && last.partial?.text).toBe("half");
  });

  it("ER-04 a line that is not JSON is a StreamError", () => {
    const { error } = decodeFrames(anthropicMessages, options, [...frames(messageStart), { data: '{"type":"content' }]);
    expect(error).toBeInstanceOf(StreamError);
  });

  it("ER-04 a stream without its closing event finishes with a warning once the reason is known, else not at all", () => {
    const known = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, ...text(0, "a"), ...ending("end_turn").slice(0, 1)),
    );
    expect(known.response?.finishReason).toEqual({ reason: "stop", raw: "end_turn" });
    expect(known.response?.warnings).toMatchObject([{ code: "missing_terminal" }]);
    const cut = decodeFrames(anthropicMessages, options, frames(messageStart, ...text(0, "a")));
    expect(cut.response).toBeUndefined();
  });

  it("AD-31 pings alone are no answer", () => {
    const { events, response } = decodeFrames(anthropicMessages, options, frames({ type: "ping" }, { type: "ping" }));
    expect(events).toEqual([]);
    expect(response).toBeUndefined();
  });
});

describe("DM-08 Anthropic finish reasons", () => {
  const rows = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["tool_use", "tool_calls"],
    ["refusal", "content_filter"],
    ["pause_turn", "other"],
    ["model_context_window_exceeded", "length"],
    ["zzz", "other"],
  ] as const;
  it.each(rows)("DM-08 G-66 %s is %s", (raw, reason) => {
    const { response } = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, ...text(0, "a"), ...ending(raw)),
    );
    expect(response?.finishReason).toEqual({ reason, raw });
  });
});

describe("tolerance of odd Anthropic streams", () => {
  it("a second message_start restarts the message", () => {
    const again = { type: "message_start", message: { id: "msg_2", model: "claude-x-1", usage } };
    const { events, response } = decodeFrames(
      anthropicMessages,
      options,
      frames(messageStart, ...text(0, "lost"), again, ...text(0, "kept"), ...ending("end_turn")),
    );
    expect(log(events).filter((line) => line.startsWith("stream_"))).toEqual([
      "stream_start",
      "stream_restart",
      "stream_start",
    ]);
    expect(response).toMatchObject({ id: "msg_2", text: "kept" });
  });

  it("blocks are keyed by position: a reused index is a new block, a duplicate id is not merged", () => {
    const call = { type: "tool_use", id: "same", name: "read", input: {} };
    const { response } = decodeFrames(
      anthropicMessages,
      options,
      frames(
        messageStart,
        start(0, call),
        delta(0, { type: "input_json_delta", partial_json: '{"n":1}' }),
        stop(0),
        start(0, call),
        delta(0, { type: "input_json_delta", partial_json: '{"n":2}' }),
        stop(0),
        ...ending("tool_use"),
      ),
    );
    expect(response?.toolCalls.map((made) => made.arguments)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("missing starts, missing stops, whole inputs and doubled endings are understood", () => {
    const { events, response } = decodeFrames(
      anthropicMessages,
      options,
      frames(
        messageStart,
        delta(0, { type: "text_delta", text: "no start" }),
        start(1, { type: "tool_use", id: "t", name: "read", input: { path: "b" } }),
        ...ending("tool_use"),
        ...ending("tool_use"),
      ),
    );
    expect(response?.text).toBe("no start");
    expect(response?.toolCalls).toEqual([{ id: "t", name: "read", arguments: { path: "b" } }]);
    expect(log(events).filter((line) => line.startsWith("finish"))).toHaveLength(1);
  });

  it("unknown blocks are kept raw with a warning, unknown events are passed on", () => {
    const { events, response } = decodeFrames(
      anthropicMessages,
      options,
      frames(
        messageStart,
        { type: "brand_new", hello: 1 },
        start(0, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }),
        delta(0, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
        stop(0),
        ...text(1, "found"),
        ...ending("end_turn"),
      ),
    );
    expect(events).toContainEqual({ type: "provider_event", raw: { type: "brand_new", hello: 1 } });
    expect(response?.message.content[0]).toEqual({
      kind: "unknown",
      raw: { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
      origin: { provider: "anthropic", model: "claude-x" },
    });
    expect(response?.warnings).toMatchObject([{ code: "unknown_item" }]);
  });

  it("GN-06 the arguments of the synthetic answer tool come out as text", () => {
    const request = { model: "claude-x", responseFormat: { type: "json_schema" as const, jsonSchema: {} } };
    const { events, response } = decodeFrames(
      anthropicMessages,
      { ...options, request },
      frames(
        messageStart,
        start(0, { type: "tool_use", id: "t", name: "structured_output", input: {} }),
        delta(0, { type: "input_json_delta", partial_json: '{"age":' }),
        delta(0, { type: "input_json_delta", partial_json: "7}" }),
        stop(0),
        ...ending("tool_use"),
      ),
    );
    expect(log(events)).toEqual([
      "stream_start",
      "text_start text_0",
      'text_delta text_0 {"age":',
      "text_delta text_0 7}",
      'text_end text_0 {"age":7}',
      "finish stop tool_use",
    ]);
    expect(response?.toolCalls).toEqual([]);
  });
});

servedAgain(recorded);
