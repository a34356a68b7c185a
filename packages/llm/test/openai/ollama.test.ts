import { describe, expect, it } from "vitest";
import { ollamaEndpoint } from "../../src/protocols/ollama/endpoint.ts";
import { ollamaChat } from "../../src/protocols/ollama/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import type { JsonValue } from "../../src/types/json.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { ModelInfo } from "../../src/types/model.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { servedAgain } from "../serve/again.ts";
import { bodyOf, decodeBody, decodeStream, encodeWith, log, recorded, testModel } from "./kit.ts";

const toggle: ModelInfo = { ...testModel, id: "qwen3", thinking: { mode: "toggle", levels: ["off", "high"] } };
const setup = { provider: "ollama", baseUrl: "http://127.0.0.1:11434", model: toggle };
const golden = (request: Partial<Request>, model = toggle) =>
  bodyOf(encodeWith(ollamaChat, { model: "qwen3", messages: [], ...request }, { ...setup, model }));
const tool: ToolDefinition = {
  name: "weather",
  description: "Weather",
  parameters: { type: "object", properties: {} },
};

describe("AD-80 ollama-chat requests", () => {
  it("AD-80 five roles, a call without ids, its result by name, images as base64", () => {
    const origin = { provider: "ollama", model: "qwen3" };
    const call: ContentPart = {
      kind: "tool_call",
      toolCall: { id: "call_1", name: "weather", type: "function", arguments: { city: "Rome" } },
    };
    const body = golden({
      tools: [tool],
      messages: [
        Message.system("Be brief."),
        Message.developer("Metric."),
        Message.user([
          { kind: "text", text: "what is this?" },
          { kind: "image", image: { data: new Uint8Array([1, 2, 3]) } },
        ]),
        Message.assistant([{ kind: "thinking", thinking: { text: "hm", redacted: false, origin } }, call]),
        Message.toolResult({ toolCallId: "call_1", content: "sun" }),
      ],
    });
    expect(body).toEqual({
      model: "qwen3",
      tools: [{ type: "function", function: tool }],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "system", content: "Metric." },
        { role: "user", content: "what is this?", images: ["AQID"] },
        {
          role: "assistant",
          content: "",
          thinking: "hm",
          tool_calls: [{ function: { name: "weather", arguments: { city: "Rome" } } }],
        },
        { role: "tool", content: "sun", tool_name: "weather" },
      ],
      stream: true,
    });
  });

  it("AD-80 DM-06 parameters go into options, the schema into format", () => {
    const schema = { type: "object", properties: {} };
    const body = golden({
      temperature: 0.1,
      topP: 0.8,
      maxTokens: 64,
      stopSequences: ["END"],
      reasoningEffort: "high",
      responseFormat: { type: "json_schema", jsonSchema: schema },
      providerOptions: { ollama: { options: { num_ctx: 16384 }, keep_alive: "5m", stream: false } },
    });
    expect(body).toEqual({
      model: "qwen3",
      messages: [],
      options: { temperature: 0.1, top_p: 0.8, num_predict: 64, stop: ["END"], num_ctx: 16384 },
      think: true,
      format: schema,
      keep_alive: "5m",
      stream: true,
    });
  });

  it.each([
    ["off", toggle, false],
    ["low", toggle, true],
    ["low", { ...toggle, thinking: { mode: "effort", levels: ["low", "medium", "high"] } } as ModelInfo, "low"],
    ["xhigh", { ...toggle, thinking: { mode: "effort", levels: ["low", "medium", "high"] } } as ModelInfo, "high"],
  ])("AD-80 effort %s becomes a switch or a word", (reasoningEffort, model, think) => {
    expect(golden({ reasoningEffort }, model)["think"]).toBe(think);
  });

  it("TC-03 auto and none can be said, none by leaving the tools out; forcing cannot", () => {
    expect(ollamaChat.toolChoiceModes).toEqual(["auto", "none"]);
    expect(golden({ tools: [tool], toolChoice: { mode: "none" } })).not.toHaveProperty("tools");
    expect(golden({ tools: [tool], toolChoice: { mode: "auto" } })).toHaveProperty("tools");
  });

  it.each<[string, ContentPart]>([
    ["an image by address", { kind: "image", image: { url: "https://x.test/a.png" } }],
    ["audio", { kind: "audio", audio: { data: new Uint8Array([1]) } }],
  ])("DM-03 %s is refused before anything is sent", (_, part) => {
    expect(() => golden({ messages: [Message.user([part])] })).toThrowError(
      expect.objectContaining({ errorCode: "unsupported_content" }),
    );
  });

  it("PC-01 messages are encoded once", () => {
    const segments = createSegmentCache();
    const first = Message.user("a");
    const send = (messages: Message[]) =>
      encodeWith(ollamaChat, { model: "qwen3", messages }, { ...setup, segments }).segments;
    expect(send([first, Message.assistant("b")])[0]).toBe(send([first])[0]);
  });

  it.each(["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/api"])("AD-80 the path under %s", (baseUrl) => {
    expect(ollamaEndpoint({ operation: "stream", wireModel: "m", baseUrl })).toBe("http://h:1/api/chat");
  });
});

const done = {
  model: "qwen3",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  prompt_eval_count: 12,
  eval_count: 5,
};
const part = (message: { [key: string]: JsonValue }): JsonValue => ({
  model: "qwen3",
  message: { role: "assistant", content: "", ...message },
  done: false,
});

describe("AD-80 ollama-chat streams", () => {
  const stream = [
    part({ thinking: "hm" }),
    part({ content: "Hi" }),
    part({ tool_calls: [{ function: { name: "weather", arguments: { n: 1 } } }] }),
    done,
  ];

  it("AD-80 DM-08 DM-09 thinking, text, a call that gets an id, counts", () => {
    const { events, blocks } = decodeStream(ollamaChat, stream);
    expect(log(events)).toEqual([
      "stream_start",
      "reasoning_start",
      "reasoning_delta hm",
      "reasoning_end",
      "text_start",
      "text_delta Hi",
      "text_end Hi",
      "tool_call_start weather call_id0",
      'tool_call_delta {"n":1}',
      'tool_call_end weather {"n":1}',
      "finish tool_calls",
    ]);
    expect(blocks.response?.usage).toMatchObject({ inputTokens: 12, outputTokens: 5, totalTokens: 17 });
  });

  it("DM-07 the body of the same turn gives the same parts", () => {
    const message = {
      role: "assistant",
      thinking: "hm",
      content: "Hi",
      tool_calls: [{ function: { name: "weather", arguments: { n: 1 } } }],
    };
    const whole = decodeBody(ollamaChat, { ...done, message }).blocks.response;
    expect(whole?.message).toEqual(decodeStream(ollamaChat, stream).blocks.response?.message);
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["zzz", "other"],
  ])("DM-08 done_reason %s", (word, reason) => {
    const { blocks } = decodeStream(ollamaChat, [part({ content: "x" }), { ...done, done_reason: word }]);
    expect(blocks.response?.finishReason).toEqual({ reason, raw: word });
  });

  it("ER-04 an error line, garbage and a cut", () => {
    const failed = decodeStream(ollamaChat, [
      part({ content: "x" }),
      { error: "model runner has unexpectedly stopped" },
    ]);
    expect(log(failed.events).at(-1)).toMatch(/^error /);
    const garbage = decodeStream(ollamaChat, [part({ content: "x" }), "{nope"]);
    expect(log(garbage.events).at(-1)).toBe("error StreamError true");
    expect(decodeStream(ollamaChat, [part({ content: "x" })]).blocks.terminal).toBe(false);
  });
});

servedAgain(recorded);
