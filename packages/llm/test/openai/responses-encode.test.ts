import { describe, expect, it } from "vitest";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { createSegmentCache } from "../../src/segments.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { bodyOf, type EncodeSetup, encodeWith, testModel } from "./kit.ts";

const golden = (request: Partial<Request>, setup?: EncodeSetup) =>
  bodyOf(encodeWith(openaiResponses, { model: "gpt-5.2", messages: [], ...request }, setup));
const userText = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const own = { provider: "openai", model: "gpt-5.2" };
const fixed = { stream: true, store: false, include: ["reasoning.encrypted_content"] };
const weather: ToolDefinition = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const wireWeather = {
  type: "function",
  name: "weather",
  description: "Weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  strict: true,
};

describe("AD-10 request bodies", () => {
  it("AD-10 A-019 QK-01 max tokens optional: text only", () => {
    expect(golden({ messages: [Message.user("hi")] })).toEqual({ model: "gpt-5.2", input: [userText("hi")], ...fixed });
  });

  it("AD-10 DM-01 A-013 A-014 X-05 five roles: system becomes instructions, developer keeps its place", () => {
    const call: ContentPart = {
      kind: "tool_call",
      toolCall: { id: "call_1", name: "weather", type: "function", arguments: { city: "Rome" } },
    };
    const body = golden({
      messages: [
        Message.system("Be brief."),
        Message.user("weather?"),
        Message.system("Be kind."),
        Message.developer("Use metric units."),
        Message.assistant([{ kind: "text", text: "Looking." }, call]),
        Message.toolResult({ toolCallId: "call_1", content: { celsius: 21 } }),
      ],
    });
    expect(body).toEqual({
      model: "gpt-5.2",
      instructions: "Be brief.\n\nBe kind.",
      input: [
        userText("weather?"),
        { type: "message", role: "developer", content: [{ type: "input_text", text: "Use metric units." }] },
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Looking.", annotations: [] }],
        },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: '{"celsius":21}' },
      ],
      ...fixed,
    });
  });

  it("AD-10 DM-03 X-03 A-020 A-025 an image by address and by bytes between texts, a document, detail kept", () => {
    const body = golden({
      messages: [
        Message.user([
          { kind: "text", text: "a" },
          { kind: "image", image: { url: "https://x.test/a.png", detail: "low" } },
          { kind: "text", text: "b" },
          { kind: "image", image: { data: new Uint8Array([1, 2, 3]), mediaType: "image/webp" } },
          { kind: "document", document: { data: new Uint8Array([4]), fileName: "a.pdf" } },
        ]),
      ],
    });
    expect(body["input"]).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "a" },
          { type: "input_image", image_url: "https://x.test/a.png", detail: "low" },
          { type: "input_text", text: "b" },
          { type: "input_image", image_url: "data:image/webp;base64,AQID" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,BA==" },
        ],
      },
    ]);
  });

  it("DM-03 A-021 audio is refused before anything is sent", () => {
    const audio: ContentPart = { kind: "audio", audio: { data: new Uint8Array([1]) } };
    expect(() => golden({ messages: [Message.user([audio])] })).toThrowError(
      expect.objectContaining({ name: "InvalidRequestError", errorCode: "unsupported_content" }),
    );
  });

  it("AD-10 X-01 QK-01 two-part tool ids, free alternation: parallel calls with item ids, their results, and an image result after both", () => {
    const call = (id: string, item: string): ContentPart => ({
      kind: "tool_call",
      toolCall: {
        id: `${id}|${item}`,
        name: "weather",
        type: "function",
        arguments: { city: id },
        origin: { ...own, itemId: item },
      },
    });
    const body = golden({
      messages: [
        Message.assistant([call("c1", "fc_1"), call("c2", "fc_2")]),
        Message.toolResult({ toolCallId: "c1|fc_1", content: "sun", images: [{ data: new Uint8Array([1]) }] }),
        Message.toolResult({ toolCallId: "c2|fc_2", content: "rain", isError: true }),
        Message.user("so?"),
      ],
    });
    expect(body["input"]).toEqual([
      { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: '{"city":"c1"}' },
      { type: "function_call", id: "fc_2", call_id: "c2", name: "weather", arguments: '{"city":"c2"}' },
      { type: "function_call_output", call_id: "c1", output: "sun" },
      { type: "function_call_output", call_id: "c2", output: "rain" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Image returned by tool call c1:" },
          { type: "input_image", image_url: "data:image/png;base64,AQ==" },
        ],
      },
      userText("so?"),
    ]);
  });

  it("AD-10 X-01 a server that gives one id to several items spoils no later request: the first keeps it", () => {
    const said = (text: string): ContentPart => ({
      kind: "text",
      text,
      signature: JSON.stringify({ id: "msg_1" }),
      origin: own,
    });
    const thought = (itemId: string): ContentPart => ({
      kind: "thinking",
      thinking: { text: "", signature: "sealed", redacted: false, origin: { ...own, itemId } },
    });
    const call: ContentPart = {
      kind: "tool_call",
      toolCall: { id: "c1", name: "weather", type: "function", arguments: {}, origin: { ...own, itemId: "fc_1" } },
    };
    const body = golden({
      messages: [
        Message.assistant([thought("rs_1"), said("a"), call, said("b")]),
        Message.toolResult({ toolCallId: "c1", content: "sun" }),
        Message.assistant([thought("rs_1"), said("c")]),
        Message.user("so?"),
      ],
    });
    const items = body["input"] as { type: string; id?: string }[];
    expect(items.map(({ type, id = "-" }) => `${type} ${id}`)).toEqual([
      "reasoning rs_1",
      "message msg_1",
      "function_call fc_1",
      "message -",
      "function_call_output -",
      "message -",
      "message -",
    ]);
  });

  const reasoned = (origin: { provider: string; model: string }) => [
    Message.assistant([
      {
        kind: "thinking",
        thinking: { text: "plan", signature: "enc1", redacted: false, origin: { ...origin, itemId: "rs_1" } },
      },
      { kind: "text", text: "On it.", signature: '{"id":"msg_1","phase":"commentary"}', origin },
      {
        kind: "tool_call",
        toolCall: {
          id: "c1|fc_1",
          name: "weather",
          type: "function",
          arguments: {},
          origin: { ...origin, itemId: "fc_1" },
        },
      },
      { kind: "unknown", raw: { type: "web_search_call", id: "ws_1", status: "completed" }, origin },
    ]),
  ];

  it("AD-10 DM-05 QK-01 thinking as encrypted items: reasoning, ids, phase and unknown items go back to the model they came from", () => {
    expect(golden({ messages: reasoned(own) })["input"]).toEqual([
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "enc1" },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        phase: "commentary",
        role: "assistant",
        content: [{ type: "output_text", text: "On it.", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "weather", arguments: "{}" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ]);
  });

  it.each([
    ["enc9", [{ type: "reasoning", summary: [{ type: "summary_text", text: "plan" }], encrypted_content: "enc9" }]],
    [undefined, []],
  ])(
    "DM-05 a signature that is the whole item, as older sessions have it, with %s encrypted",
    (encrypted, expected) => {
      const signature = JSON.stringify({ type: "reasoning", id: "rs_9", summary: [], encrypted_content: encrypted });
      const thinking = { text: "plan", signature, redacted: false, origin: own };
      const message = Message.assistant([
        { kind: "thinking", thinking },
        { kind: "text", text: "done" },
      ]);
      const input = golden({ messages: [message] })["input"] as { type: string }[];
      expect(input.filter(({ type }) => type === "reasoning")).toEqual(expected);
    },
  );

  it.each(["", "{", '{"encrypted_content":""}', "{}"])(
    "DM-05 D3 reasoning that the vendor could not read (%j) is left out, and so are the ids tied to it",
    (signature) => {
      const thinking = { text: "plan", signature, redacted: false, origin: { ...own, itemId: "rs_9" } };
      const message = Message.assistant([
        { kind: "thinking", thinking },
        { kind: "text", text: "done", origin: { ...own, itemId: "msg_9" } },
      ]);
      expect(JSON.stringify(golden({ messages: [message] }))).not.toMatch(/rs_9|msg_9|encrypted_content":/);
    },
  );

  it("DM-05 D3 ids that no vendor makes are not sent back: they would be refused for ever", () => {
    const odd = { ...own, itemId: "f.txt/\b" };
    const message = Message.assistant([
      { kind: "thinking", thinking: { text: "plan", signature: "enc", redacted: false, origin: odd } },
      { kind: "tool_call", toolCall: { id: "c1", name: "weather", arguments: {}, type: "function", origin: odd } },
    ]);
    const result = Message.toolResult({ toolCallId: "c1", content: "sun" });
    expect(JSON.stringify(golden({ messages: [message, result] }))).not.toContain("f.txt");
  });

  it("DM-05 another model's reasoning and ids never appear", () => {
    const messages = reasoned({ provider: "anthropic", model: "claude-opus-4-6" });
    const text = JSON.stringify(golden({ messages }));
    for (const secret of ["enc1", "plan", "rs_1", "fc_1", "ws_1", "msg_1"]) expect(text).not.toContain(secret);
    const asText = golden({ messages, providerOptions: { openai: { foreign_thinking: "text" } } });
    expect(JSON.stringify(asText)).toContain("plan");
    expect(asText).not.toHaveProperty("foreign_thinking");
  });

  it("AD-10 a free-form tool, its call and its result", () => {
    const tool: ToolDefinition = {
      name: "patch",
      description: "Apply",
      parameters: { type: "object" },
      type: "custom",
      format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
    };
    const body = golden({
      tools: [tool],
      toolChoice: { mode: "named", toolName: "patch" },
      messages: [
        Message.assistant([
          { kind: "tool_call", toolCall: { id: "c1", name: "patch", type: "custom", arguments: "*** Begin" } },
        ]),
        Message.toolResult({ toolCallId: "c1", content: "done" }),
      ],
    });
    expect(body["tools"]).toEqual([{ type: "custom", name: "patch", description: "Apply", format: tool.format }]);
    expect(body["tool_choice"]).toEqual({ type: "custom", name: "patch" });
    expect(body["input"]).toEqual([
      { type: "custom_tool_call", call_id: "c1", name: "patch", input: "*** Begin" },
      { type: "custom_tool_call_output", call_id: "c1", output: "done" },
    ]);
  });

  it.each([
    [{ mode: "auto" }, "auto"],
    [{ mode: "none" }, "none"],
    [{ mode: "required" }, "required"],
    [
      { mode: "named", toolName: "weather" },
      { type: "function", name: "weather" },
    ],
  ] as const)("TC-03 A-060 X-02 QK-01 tool choice %j", (toolChoice, wire) => {
    const body = golden({ tools: [weather], toolChoice });
    expect(body).toEqual({ model: "gpt-5.2", tools: [wireWeather], input: [], tool_choice: wire, ...fixed });
  });

  it("TC-03 a named tool that does not exist is refused", () => {
    expect(() => golden({ tools: [weather], toolChoice: { mode: "named", toolName: "nope" } })).toThrow(/nope/);
  });

  it("TC-07 a schema without a strict form goes as it is, and strict can be switched off", () => {
    const open = { ...weather, parameters: { type: "object", additionalProperties: { type: "string" } } };
    expect(golden({ tools: [open] })["tools"]).toEqual([
      {
        type: "function",
        name: "weather",
        description: "Weather of a city",
        parameters: open.parameters,
        strict: false,
      },
    ]);
    expect(golden({ tools: [weather] }, { options: { disableStrictTools: true } })["tools"]).toEqual([
      { ...wireWeather, parameters: weather.parameters, strict: false },
    ]);
  });

  it("DM-06 X-02 QK-01 native structured output: parameters in the vendor's words, stop sequences warned about", () => {
    const request: Request = {
      model: "gpt-5.2",
      messages: [Message.user("hi")],
      temperature: 0.2,
      topP: 0.9,
      maxTokens: 500,
      stopSequences: ["END"],
      reasoningEffort: "high",
      metadata: { session_id: "s1", team: "x" },
      responseFormat: {
        type: "json_schema",
        name: "person",
        strict: true,
        jsonSchema: { type: "object", properties: { age: { type: "number" } }, required: ["age"] },
      },
    };
    const encoded = encodeWith(openaiResponses, request, { operation: "complete" });
    expect(bodyOf(encoded)).toEqual({
      model: "gpt-5.2",
      input: [userText("hi")],
      temperature: 0.2,
      top_p: 0.9,
      max_output_tokens: 500,
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
      text: {
        format: {
          type: "json_schema",
          name: "person",
          schema: {
            type: "object",
            properties: { age: { type: "number" } },
            required: ["age"],
            additionalProperties: false,
          },
          strict: true,
        },
      },
      metadata: { team: "x" },
      prompt_cache_key: "s1",
      stream: false,
      store: false,
    });
    expect(encoded.warnings.map(({ code }) => code)).toEqual(["unsupported_parameter"]);
  });

  it.each([
    ["high", { effort: "high", summary: "auto" }],
    ["off", { effort: "none", summary: "auto" }],
    ["minimal", { effort: "low", summary: "auto" }],
    ["max", { effort: "xhigh", summary: "auto" }],
    [undefined, undefined],
  ])("A-037 DM-06 effort %s is clamped to what the model has", (reasoningEffort, reasoning) => {
    const body = golden(reasoningEffort === undefined ? {} : { reasoningEffort });
    expect(body["reasoning"]).toEqual(reasoning);
  });

  it("DM-06 effort for a model that does not reason is omitted with a warning", () => {
    const { thinking: _, ...plain } = { ...testModel, supportsReasoning: false };
    const encoded = encodeWith(
      openaiResponses,
      { model: "gpt-4o", messages: [], reasoningEffort: "high" },
      { model: plain },
    );
    expect(bodyOf(encoded)).toEqual({ model: "gpt-4o", input: [], stream: true, store: false });
    expect(encoded.warnings).toHaveLength(1);
  });

  it("CL-09 A-015 A-016 QK-01 feature flags in the body: built-in tools are appended, other options merged last, protected keys kept", () => {
    const body = golden({
      tools: [weather],
      reasoningEffort: "low",
      providerOptions: {
        openai: {
          tools: [{ type: "web_search_preview" }],
          text: { verbosity: "low" },
          reasoning: { summary: "detailed" },
          service_tier: "flex",
          model: "other",
          input: [],
          stream: false,
        },
        gemini: { bar: 2 },
      },
    });
    expect(body).toEqual({
      model: "gpt-5.2",
      tools: [wireWeather, { type: "web_search_preview" }],
      input: [],
      reasoning: { effort: "low", summary: "detailed" },
      text: { verbosity: "low" },
      service_tier: "flex",
      ...fixed,
    });
  });

  it("G-57 extra bodies may not touch the protected keys; wireModelId replaces only the id on the wire", () => {
    const encoded = encodeWith(
      openaiResponses,
      { model: "gpt-5.2", messages: [], tools: [weather] },
      {
        model: {
          ...testModel,
          wireModelId: "gateway-52",
          requestTransform: { extraBody: { model: "x", tools: [], tool_choice: "none", gateway: "m1" } },
        },
      },
    );
    expect(encoded.wireModel).toBe("gateway-52");
    expect(bodyOf(encoded)).toEqual({ model: "gateway-52", tools: [wireWeather], input: [], gateway: "m1", ...fixed });
  });

  it.each([
    ["none", true, undefined],
    ["short", true, undefined],
    ["long", true, "24h"],
    ["long", false, undefined],
  ] as const)("PC-03 retention %s, model can keep long: %s", (cacheRetention, supportsLongCacheRetention, wire) => {
    const body = golden(
      { metadata: { session_id: "s1" } },
      { cacheRetention, model: { ...testModel, supportsLongCacheRetention } },
    );
    expect(body["prompt_cache_retention"]).toBe(wire);
    expect(body["prompt_cache_key"]).toBe("s1");
  });
});

describe("segments", () => {
  it("PC-01 A-042 QK-01 automatic caching: ten turns: each body without its tail begins the next, no cache marker, segments are reused", () => {
    const segments = createSegmentCache();
    const messages: Message[] = [Message.system("You are a test."), Message.user("go")];
    let before: { prefix: string; segments: readonly object[] } | undefined;
    for (let turn = 0; turn < 10; turn += 1) {
      const encoded = encodeWith(
        openaiResponses,
        { model: "gpt-5.2", messages: [...messages], tools: [weather] },
        { segments },
      );
      const text = encoded.body.join("");
      if (before) {
        expect(text.startsWith(before.prefix)).toBe(true);
        // Segment objects of the history are the very same: nothing was encoded twice. Tools come in a new array.
        expect(encoded.segments.slice(1, before.segments.length)).toEqual(before.segments.slice(1));
        for (let index = 1; index < before.segments.length; index += 1) {
          expect(encoded.segments[index]).toBe(before.segments[index]);
        }
      }
      expect(text).not.toContain("cache_control");
      before = { prefix: text.slice(0, text.lastIndexOf("]", text.indexOf('"include"'))), segments: encoded.segments };
      const id = `c${turn}`;
      messages.push(
        Message.assistant([{ kind: "tool_call", toolCall: { id, name: "weather", type: "function", arguments: {} } }]),
        Message.toolResult({ toolCallId: id, content: `result ${turn}` }),
      );
    }
  });
});
