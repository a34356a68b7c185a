import { describe, expect, it } from "vitest";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { bodyOf, type EncodeSetup, encodeWith, testModel } from "./kit.ts";

const golden = (request: Partial<Request>, setup?: EncodeSetup) =>
  bodyOf(encodeWith(openaiResponses, { model: "gpt-5.2", messages: [], ...request }, setup));
const userText = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
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

describe("AD-10 tools and parameters in request bodies", () => {
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
