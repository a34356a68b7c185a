import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { googleGenerativeAi as gemini } from "../../src/protocols/gemini/index.ts";
import { ContentFilterError, ServerError, StreamError } from "../../src/types/errors.ts";
import type { StreamEvent } from "../../src/types/events.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { servedAgain } from "../serve/again.ts";
import { decodeBody, decodeFrames, frames, log, recorded } from "./support.ts";

const options = { provider: "gemini", request: { model: "gemini-3" } };
const origin = { provider: "gemini", model: "gemini-3" };
const chunk = (parts: JsonValue[], more: JsonObject = {}, candidate: JsonObject = {}): JsonObject => ({
  responseId: "r1",
  modelVersion: "gemini-3-001",
  candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
  ...more,
});
const end = (parts: JsonValue[] = [], reason = "STOP", more: JsonObject = {}) =>
  chunk(parts, more, { finishReason: reason });

describe("AD-41 Gemini response and stream", () => {
  it("AD-41 G-64 thought, text, thought: a change of kind closes the open block", () => {
    const { events, response } = decodeFrames(
      gemini,
      options,
      frames(
        chunk([{ text: "hm", thought: true }]),
        chunk([{ text: "m", thought: true }]),
        chunk([{ text: "Hel" }]),
        chunk([{ text: "lo" }, { text: "again", thought: true }]),
        end([]),
      ),
    );
    expect(log(events)).toEqual([
      "stream_start",
      "reasoning_start reasoning_0",
      "reasoning_delta reasoning_0 hm",
      "reasoning_delta reasoning_0 m",
      "reasoning_end reasoning_0 hmm||false",
      "text_start text_1",
      "text_delta text_1 Hel",
      "text_delta text_1 lo",
      "text_end text_1 Hello",
      "reasoning_start reasoning_2",
      "reasoning_delta reasoning_2 again",
      "reasoning_end reasoning_2 again||false",
      "finish stop STOP",
    ]);
    expect(response).toMatchObject({ id: "r1", model: "gemini-3-001", text: "Hello", reasoning: "hmmagain" });
  });

  it("AD-41 G-64 two calls in one chunk: synthetic ids where the vendor gives none, signature on the first only", () => {
    const { events, response } = decodeFrames(
      gemini,
      options,
      frames(
        end([
          { functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "sig" },
          { functionCall: { id: "v2", name: "list" } },
        ]),
      ),
    );
    expect(log(events)).toEqual([
      "stream_start",
      "tool_call_start 0 call_id1 read",
      'tool_call_delta 0 {"path":"a"}',
      'tool_call_end 0 {"path":"a"}',
      "tool_call_start 1 v2 list",
      "tool_call_end 1 ",
      "finish tool_calls STOP",
    ]);
    expect(response?.message.content).toEqual([
      {
        kind: "tool_call",
        toolCall: {
          id: "call_id1",
          name: "read",
          type: "function",
          arguments: { path: "a" },
          signature: "sig",
          origin,
        },
      },
      {
        kind: "tool_call",
        toolCall: { id: "v2", name: "list", type: "function", arguments: {}, origin: { ...origin, itemId: "v2" } },
      },
    ]);
  });

  it("AD-41 nameless partialArgs parts with willContinue build one call", () => {
    const { events, response } = decodeFrames(
      gemini,
      options,
      frames(
        chunk([{ functionCall: { name: "write", id: "c1", willContinue: true }, thoughtSignature: "sig" }]),
        chunk([
          {
            functionCall: {
              partialArgs: [{ jsonPath: "$.path", stringValue: "a.txt" }],
              willContinue: true,
            },
          },
        ]),
        chunk([
          {
            functionCall: {
              partialArgs: [{ jsonPath: "$.lines[0].text", stringValue: "Hel", willContinue: true }],
              willContinue: true,
            },
          },
        ]),
        chunk([
          {
            functionCall: {
              partialArgs: [
                { jsonPath: "$.lines[0].text", stringValue: "lo" },
                { jsonPath: "$.lines[1]['text']", nullValue: "NULL_VALUE" },
                { jsonPath: "$.count", numberValue: 2 },
                { jsonPath: "$.force", boolValue: true },
              ],
              willContinue: true,
            },
          },
        ]),
        chunk([{ functionCall: {} }]),
        chunk([{ functionCall: { name: "read", args: { path: "b" } } }]),
        end(),
      ),
    );
    expect(response?.toolCalls).toEqual([
      {
        id: "c1",
        name: "write",
        arguments: { path: "a.txt", lines: [{ text: "Hello" }, { text: null }], count: 2, force: true },
      },
      { id: "call_id1", name: "read", arguments: { path: "b" } },
    ]);
    expect(log(events).filter((line) => line.startsWith("tool_call_end"))).toHaveLength(2);
    expect(argumentDeltas(events)[0]).toBe(
      '{"path":"a.txt","lines":[{"text":"Hello"},{"text":null}],"count":2,"force":true}',
    );
  });

  it("AD-41 partialArgs that go back in the document still make the right call", () => {
    const { response } = decodeFrames(
      gemini,
      options,
      frames(
        chunk([{ functionCall: { name: "write", willContinue: true } }]),
        chunk([
          {
            functionCall: {
              partialArgs: [
                { jsonPath: "$.a.b", stringValue: "1" },
                { jsonPath: "$.c", numberValue: 2 },
                { jsonPath: "$.a.d", boolValue: false },
              ],
            },
          },
        ]),
        end(),
      ),
    );
    expect(response?.toolCalls[0]?.arguments).toEqual({ a: { b: "1", d: false }, c: 2 });
  });

  it("AD-41 values at paths make the right call, wherever strings are cut", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    const tree = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("node"), { minLength: 1, maxLength: 3 }), tie("object")),
      object: fc.dictionary(key, tie("node"), { minKeys: 1, maxKeys: 3 }),
    }));
    fc.assert(
      fc.property(tree.object, fc.integer({ min: 1, max: 4 }), (args, cut) => {
        const parts = leaves(args as JsonValue, "$").flatMap(([jsonPath, value]) => partialArgs(jsonPath, value, cut));
        const { events, response } = decodeFrames(
          gemini,
          options,
          frames(
            chunk([{ functionCall: { name: "write", willContinue: true } }]),
            ...parts.map((part) => chunk([{ functionCall: { partialArgs: [part], willContinue: true } }])),
            chunk([{ functionCall: {} }]),
            end(),
          ),
        );
        expect(JSON.parse(argumentDeltas(events).join(""))).toEqual(args);
        expect(response?.toolCalls[0]?.arguments).toEqual(args);
      }),
      { numRuns: 200 },
    );
  });

  it("AD-41 a blocked prompt is a ContentFilterError, a blocked answer is a finish reason", () => {
    const blocked = decodeFrames(gemini, options, frames({ promptFeedback: { blockReason: "SAFETY" } }));
    expect(blocked.error).toBeInstanceOf(ContentFilterError);
    const half = decodeFrames(gemini, options, frames(chunk([{ text: "ha" }]), end([], "SAFETY")));
    expect(half.response).toMatchObject({ text: "ha", finishReason: { reason: "content_filter", raw: "SAFETY" } });
  });

  it("AD-41 an array body and a single body give the stream's message", () => {
    const chunks = [chunk([{ text: "a", thought: true }]), chunk([{ text: "b" }]), end([{ text: "c" }])];
    const streamed = decodeFrames(gemini, options, frames(...chunks)).response;
    const array = decodeBody(gemini, options, chunks).response;
    const single = decodeBody(gemini, options, end([{ text: "a", thought: true }, { text: "bc" }])).response;
    expect(array?.message).toEqual(streamed?.message);
    expect(single?.message).toEqual(streamed?.message);
    expect(array?.raw).toEqual(chunks);
  });

  it("DM-07 raw is the body, or the last chunk of a stream", () => {
    const whole = end([{ text: "a" }]);
    expect(decodeBody(gemini, options, whole).response?.raw).toEqual(whole);
    expect(decodeFrames(gemini, options, frames(chunk([{ text: "b" }]), whole)).response?.raw).toEqual(whole);
  });

  it("AD-41 a signature stays with its text; text after a signed part is a part of its own", () => {
    const { response } = decodeFrames(
      gemini,
      options,
      frames(chunk([{ text: "one" }]), chunk([{ text: "", thoughtSignature: "s1" }]), end([{ text: "two" }])),
    );
    expect(response?.message.content).toEqual([
      { kind: "text", text: "one", signature: "s1", origin },
      { kind: "text", text: "two" },
    ]);
  });

  it("DM-09 A-040 A-050 X-17 counts of the last chunk, thoughts apart from output", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 20,
      cachedContentTokenCount: 64,
      totalTokenCount: 127,
    };
    const { response } = decodeFrames(
      gemini,
      options,
      frames(chunk([{ text: "x" }], { usageMetadata: { promptTokenCount: 1 } }), end([], "STOP", { usageMetadata })),
    );
    expect(response?.usage).toEqual({
      inputTokens: 100,
      outputTokens: 7,
      totalTokens: 107,
      reasoningTokens: 20,
      cacheReadTokens: 64,
      raw: usageMetadata,
    });
  });

  const reasons = [
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
    ["LANGUAGE", "other"],
    ["zzz", "other"],
  ] as const;
  it.each(reasons)("DM-08 G-66 Gemini %s is %s", (raw, reason) => {
    const { response } = decodeFrames(gemini, options, frames(end([{ text: "a" }], raw)));
    expect(response?.finishReason).toEqual({ reason, raw });
  });

  it("DM-08 a call with STOP is tool_calls, with MAX_TOKENS it stays length", () => {
    const call = { functionCall: { name: "read", args: {} } };
    expect(decodeFrames(gemini, options, frames(end([call]))).response?.finishReason.reason).toBe("tool_calls");
    const cut = decodeFrames(gemini, options, frames(end([call], "MAX_TOKENS")));
    expect(cut.response?.finishReason.reason).toBe("length");
  });

  it("ER-04 an error object, garbage and a cut stream", () => {
    const overload = decodeFrames(
      gemini,
      options,
      frames(chunk([{ text: "a" }]), { error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }),
    );
    expect(overload.error).toBeInstanceOf(ServerError);
    expect(overload.error).toMatchObject({ retryable: true });
    const garbage = decodeFrames(gemini, options, [...frames(chunk([{ text: "a" }])), { data: "{" }]);
    expect(garbage.error).toBeInstanceOf(StreamError);
    const cut = decodeFrames(gemini, options, frames(chunk([{ text: "a" }])));
    expect(cut.response).toBeUndefined();
    expect(cut.error).toBeUndefined();
  });

  it("unknown parts are kept raw with a warning", () => {
    const code = { executableCode: { language: "PYTHON", code: "1+1" } };
    const { response } = decodeFrames(gemini, options, frames(end([{ text: "a" }, code, { text: "b" }])));
    expect(response?.message.content).toEqual([
      { kind: "text", text: "a" },
      { kind: "unknown", raw: code, origin },
      { kind: "text", text: "b" },
    ]);
    expect(response?.warnings).toMatchObject([{ code: "unknown_item" }]);
  });
});

function argumentDeltas(events: readonly StreamEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool_call_delta" ? [event.delta] : []));
}

function leaves(value: JsonValue, path: string): [string, JsonValue][] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, index) => leaves(item, `${path}[${index}]`));
  return Object.entries(value).flatMap(([key, item]) => leaves(item, `${path}.${key}`));
}

function partialArgs(jsonPath: string, value: JsonValue, cut: number): JsonObject[] {
  if (typeof value === "number") return [{ jsonPath, numberValue: value }];
  if (typeof value === "boolean") return [{ jsonPath, boolValue: value }];
  if (typeof value !== "string") return [{ jsonPath, nullValue: "NULL_VALUE" }];
  const pieces = value.match(new RegExp(`[^]{1,${cut}}`, "g")) ?? [""];
  return pieces.map((stringValue, index) => ({
    jsonPath,
    stringValue,
    ...(index < pieces.length - 1 ? { willContinue: true } : {}),
  }));
}

servedAgain(recorded);
