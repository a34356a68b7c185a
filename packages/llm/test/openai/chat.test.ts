import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { servedAgain } from "../serve/again.ts";
import { bodyOf, decodeBody, decodeStream, encodeWith, log, recorded } from "./kit.ts";

const baseUrl = "http://127.0.0.1:8000/v1";
const golden = (request: Partial<Request>) =>
  bodyOf(encodeWith(openaiChat, { model: "gpt-5.2", messages: [], ...request }, { baseUrl, operation: "complete" }));

const tool: ToolDefinition = {
  name: "weather",
  description: "Weather",
  parameters: { type: "object", properties: {} },
};

describe("AD-20 request bodies", () => {
  it("AD-20 DM-03 X-03 text and media keep their order", () => {
    const body = golden({
      messages: [
        Message.user([
          { kind: "text", text: "a" },
          { kind: "image", image: { url: "https://x.test/a.png", detail: "low" } },
          { kind: "image", image: { data: new Uint8Array([1, 2, 3]) } },
          { kind: "audio", audio: { data: new Uint8Array([1]), mediaType: "audio/mpeg" } },
          { kind: "document", document: { data: new Uint8Array([4]) } },
        ]),
      ],
    });
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: "https://x.test/a.png", detail: "low" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "input_audio", input_audio: { data: "AQ==", format: "mp3" } },
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,BA==" } },
        ],
      },
    ]);
  });

  it("a picture that is to be looked at in its own size: the protocol has no word for it, the closest is sent", () => {
    const image = { url: "https://x.test/a.png", detail: "original" } as const;
    const body = golden({ messages: [Message.user([{ kind: "image", image }])] });
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { ...image, detail: "high" } }] },
    ]);
  });

  it.each([
    [{ mode: "auto" }, "auto"],
    [{ mode: "none" }, "none"],
    [{ mode: "required" }, "required"],
    [
      { mode: "named", toolName: "weather" },
      { type: "function", function: { name: "weather" } },
    ],
  ] as const)("TC-03 A-060 tool choice %j", (toolChoice, wire) => {
    expect(golden({ tools: [tool], toolChoice })).toEqual({
      model: "gpt-5.2",
      tools: [{ type: "function", function: { ...tool } }],
      messages: [],
      tool_choice: wire,
      stream: false,
    });
  });

  it("DM-06 every field set", () => {
    const encoded = encodeWith(
      openaiChat,
      {
        model: "gpt-5.2",
        messages: [Message.user("hi")],
        temperature: 0.2,
        topP: 0.9,
        maxTokens: 500,
        stopSequences: ["END"],
        reasoningEffort: "high",
        metadata: { team: "x" },
        responseFormat: {
          type: "json_schema",
          name: "p",
          strict: true,
          jsonSchema: { type: "object", properties: {} },
        },
        providerOptions: { openai: { seed: 7, messages: [], tools: [{ type: "builtin" }] }, other: { x: 1 } },
      },
      { operation: "complete" },
    );
    expect(bodyOf(encoded)).toEqual({
      model: "gpt-5.2",
      tools: [{ type: "builtin" }],
      messages: [{ role: "user", content: "hi" }],
      temperature: 0.2,
      top_p: 0.9,
      max_completion_tokens: 500,
      stop: ["END"],
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "p",
          schema: { type: "object", properties: {}, required: [], additionalProperties: false },
          strict: true,
        },
      },
      reasoning_effort: "high",
      store: false,
      stream: false,
      seed: 7,
    });
    expect(encoded.warnings.map(({ code }) => code)).toEqual(["unsupported_parameter"]);
  });

  it("DM-04 results of parallel calls stay together, images follow as the user's; free-form calls become functions", () => {
    const call = (id: string, custom = false): ContentPart => ({
      kind: "tool_call",
      toolCall: custom
        ? { id, name: "patch", type: "custom", arguments: "raw text" }
        : { id, name: "weather", type: "function", arguments: { n: 1 } },
    });
    const body = golden({
      messages: [
        Message.assistant([{ kind: "text", text: "ok" }, call("c1"), call("c2", true)]),
        Message.toolResult({ toolCallId: "c1", content: [1, 2], images: [{ url: "https://x.test/i.png" }] }),
        Message.toolResult({ toolCallId: "c2", content: "bad", isError: true }),
      ],
    });
    expect(body["messages"]).toEqual([
      {
        role: "assistant",
        content: "ok",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: '{"n":1}' } },
          { id: "c2", type: "function", function: { name: "patch", arguments: '{"input":"raw text"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "[1,2]" },
      { role: "tool", tool_call_id: "c2", content: "bad" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image returned by tool call c1:" },
          { type: "image_url", image_url: { url: "https://x.test/i.png" } },
        ],
      },
    ]);
  });

  it("DM-05 foreign thinking is dropped, or becomes text when asked", () => {
    const messages = [
      Message.assistant([
        { kind: "thinking", thinking: { text: "secret plan", signature: "s1", redacted: false } },
        { kind: "redacted_thinking", thinking: { text: "", signature: "abc", redacted: true } },
        { kind: "text", text: "Hello" },
      ]),
    ];
    expect(golden({ messages })["messages"]).toEqual([{ role: "assistant", content: "Hello" }]);
    const asText = golden({ messages, providerOptions: { openai: { foreign_thinking: "text" } } });
    expect(asText["messages"]).toEqual([{ role: "assistant", content: "secret plan\n\nHello" }]);
  });

  it("PC-01 a growing conversation keeps its segments and its byte prefix", () => {
    const segments = createSegmentCache();
    const messages: Message[] = [Message.system("s"), Message.user("go")];
    const send = () =>
      encodeWith(openaiChat, { model: "gpt-5.2", messages: [...messages], tools: [tool] }, { segments, baseUrl });
    const first = send();
    messages.push(Message.assistant("hello"), Message.user("more"));
    const second = send();
    const prefix = first.body.join("").replace(/\],"stream".*/, "");
    expect(second.body.join("").startsWith(prefix)).toBe(true);
    expect(second.segments.length).toBe(first.segments.length + 2);
    for (const [index, segment] of first.segments.entries()) {
      if (index > 0) expect(second.segments[index]).toBe(segment);
    }
  });
});

const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "chat_1",
  model: "m-1",
  choices: [{ index: 0, delta, ...more }],
});
const finish = (reason: string): JsonObject => chunk({}, { finish_reason: reason });
const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const usageChunk: JsonObject = { id: "chat_1", model: "m-1", choices: [], usage };
const callDelta = (call: JsonObject) => chunk({ tool_calls: [call] });

const clean: JsonValue[] = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "hmm" }),
  chunk({ content: "Hi" }),
  callDelta({ index: 0, id: "c0", type: "function", function: { name: "weather", arguments: "" } }),
  callDelta({ index: 0, function: { arguments: '{"n":' } }),
  callDelta({ index: 0, function: { arguments: "1}" } }),
  callDelta({ index: 1, id: "c1", type: "function", function: { name: "weather", arguments: '{"n":2}' } }),
  finish("tool_calls"),
  usageChunk,
  "[DONE]",
];
const cleanLog = [
  "stream_start",
  "reasoning_start",
  "reasoning_delta hmm",
  "reasoning_end",
  "text_start",
  "text_delta Hi",
  "text_end Hi",
  "tool_call_start weather c0",
  'tool_call_delta {"n":',
  "tool_call_delta 1}",
  "tool_call_start weather c1",
  'tool_call_delta {"n":2}',
  'tool_call_end weather {"n":1}',
  'tool_call_end weather {"n":2}',
  "finish tool_calls",
];
const replace = (index: number, ...chunks: JsonValue[]) => [
  ...clean.slice(0, index),
  ...chunks,
  ...clean.slice(index + 1),
];
const stripIndex = (value: JsonValue): JsonValue =>
  JSON.parse(JSON.stringify(value).replaceAll(/"tool_calls":\[\{"index":\d,/g, '"tool_calls":[{'));

describe("AD-20 streams", () => {
  it("AD-20 X-20 a clean stream with reasoning, text, two calls and usage", () => {
    const { events, blocks } = decodeStream(openaiChat, clean);
    expect(log(events)).toEqual(cleanLog);
    expect(blocks.response).toMatchObject({ id: "chat_1", model: "m-1", reasoning: "hmm", text: "Hi" });
    expect(blocks.response?.usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      cacheReadTokens: 4,
      reasoningTokens: 2,
      raw: usage,
    });
  });

  it.each<[string, readonly JsonValue[]]>([
    ["no index on calls", clean.map(stripIndex)],
    [
      "every call with index 0",
      replace(6, callDelta({ index: 0, id: "c1", function: { name: "weather", arguments: '{"n":2}' } })),
    ],
    [
      "name and id repeated per chunk",
      replace(5, callDelta({ index: 0, id: "c0", function: { name: "weather", arguments: "1}" } })),
    ],
    [
      "arguments as an object",
      replace(6, callDelta({ index: 1, id: "c1", function: { name: "weather", arguments: { n: 2 } } })),
    ],
    [
      "usage on the last choice chunk",
      [...clean.slice(0, 7), chunk({}, { finish_reason: "tool_calls", usage }), "[DONE]"],
    ],
    ["usage beside the choices", [...clean.slice(0, 7), { ...finish("tool_calls"), usage }, "[DONE]"]],
    ["finish_reason stop although calls were made", replace(7, finish("stop"))],
    ["no [DONE]", clean.slice(0, -1)],
    ["reasoning in another field", replace(1, chunk({ reasoning: "hmm" }))],
    ["reasoning_text", replace(1, chunk({ reasoning_text: "hmm" }))],
    [
      "content as typed parts",
      [
        clean[0]!,
        chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hmm" }] }] }),
        chunk({ content: [{ type: "text", text: "Hi" }] }),
        ...clean.slice(3),
      ],
    ],
  ])("AD-20 tolerates: %s", (_, chunks) => {
    const { events, blocks } = decodeStream(openaiChat, chunks);
    expect(log(events)).toEqual(cleanLog);
    expect(blocks.response?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(blocks.response?.warnings).toEqual([]);
  });

  it("AD-20 DM-04 a call without an id gets one", () => {
    const { blocks } = decodeStream(openaiChat, [
      callDelta({ function: { name: "weather", arguments: "{}" } }),
      finish("tool_calls"),
    ]);
    expect(blocks.response?.toolCalls).toEqual([{ id: "call_id0", name: "weather", arguments: {} }]);
  });

  it("DM-07 the body of the same turn gives the same Response", () => {
    const call = (n: number) => ({
      id: `c${n}`,
      type: "function",
      function: { name: "weather", arguments: `{"n":${n + 1}}` },
    });
    const body = {
      id: "chat_1",
      model: "m-1",
      choices: [
        {
          index: 0,
          message: { role: "assistant", reasoning_content: "hmm", content: "Hi", tool_calls: [call(0), call(1)] },
          finish_reason: "tool_calls",
        },
      ],
      usage,
    };
    const { raw: _, ...whole } = decodeBody(openaiChat, body).blocks.response!;
    const { raw: __, ...streamed } = decodeStream(openaiChat, clean).blocks.response!;
    expect(whole).toEqual(streamed);
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["content_filter", "content_filter"],
    ["zzz", "other"],
  ])("DM-08 finish_reason %s", (word, reason) => {
    const { blocks } = decodeStream(openaiChat, [chunk({ content: "x" }), finish(word)]);
    expect(blocks.response?.finishReason).toEqual({ reason, raw: word });
  });

  it("DM-08 a length stop stays one although a call is there", () => {
    const { blocks } = decodeStream(openaiChat, [...clean.slice(0, 5), finish("length"), "[DONE]"]);
    expect(blocks.response?.finishReason.reason).toBe("length");
  });

  it.each<[string, JsonValue, string]>([
    ["overload", { error: { code: 503, message: "overloaded" } }, "error ServerError true"],
    ["rate limit", { error: { code: "rate_limit_exceeded", message: "slow" } }, "error RateLimitError true"],
    ["garbage", "{nonsense", "error StreamError true"],
  ])("ER-04 %s inside a 200 stream", (_, bad, expected) => {
    const { events } = decodeStream(openaiChat, [chunk({ content: "par" }), bad, "[DONE]"]);
    expect(log(events)).toEqual(["stream_start", "text_start", "text_delta par", "text_end par", expected]);
  });

  it("ER-04 a stream cut before its finish reason is not finished", () => {
    expect(decodeStream(openaiChat, clean.slice(0, 6)).blocks.terminal).toBe(false);
  });
});

servedAgain(recorded);
