import { describe, expect, it } from "vitest";
import { compatByHost, detectCompat, mergeCompat } from "../../src/protocols/openai-chat/compat.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import type { JsonObject, JsonValue } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import type { OpenAICompat } from "../../src/types/model.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { bodyOf, encodeWith, testModel } from "./kit.ts";

const tool: ToolDefinition = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const looseTool: ToolDefinition = {
  name: "loose",
  description: "Anything",
  parameters: { type: "object", additionalProperties: { type: "string" } },
};
const origin = { provider: "vendor", model: "m1" };

/** Two turns: a question answered through a tool with reasoning, then the user's next message. */
const conversation: Request = {
  model: "m1",
  tools: [tool, looseTool],
  toolChoice: { mode: "required" },
  reasoningEffort: "high",
  maxTokens: 1000,
  metadata: { session_id: "s1" },
  messages: [
    Message.system("Be brief."),
    Message.user("weather?"),
    Message.assistant([
      { kind: "thinking", thinking: { text: "look it up", redacted: false, origin } },
      {
        kind: "tool_call",
        toolCall: { id: "call_1|fc_1", name: "weather", type: "function", arguments: { city: "Rome" } },
      },
    ]),
    Message.toolResult({ toolCallId: "call_1|fc_1", content: "sun" }),
    Message.developer("Use metric units."),
    Message.user("and tomorrow?"),
  ],
};

type Body = JsonObject & { messages: JsonObject[]; tools: JsonObject[] };

const wireTool = (definition: ToolDefinition): JsonObject => ({
  type: "function",
  function: { name: definition.name, description: definition.description, parameters: definition.parameters },
});

/** What an unknown server on localhost gets. */
const plain = (): Body => ({
  model: "m1",
  tools: [wireTool(tool), wireTool(looseTool)],
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "sun" },
    { role: "system", content: "Use metric units." },
    { role: "user", content: "and tomorrow?" },
  ],
  max_tokens: 1000,
  tool_choice: "required",
  reasoning_effort: "high",
  stream: true,
  stream_options: { include_usage: true },
});

function encode(compat: OpenAICompat, baseUrl = "http://127.0.0.1:8000/v1", request: Request = conversation) {
  const { thinking: _, ...model } = { ...testModel, id: "m1", provider: "vendor", compat };
  return encodeWith(openaiChat, request, { provider: "vendor", baseUrl, model });
}

const strictWeather = {
  ...tool.parameters,
  additionalProperties: false,
};
const edit = (change: (body: Body) => void) => {
  const body = plain();
  change(body);
  return body;
};
const without = (...keys: string[]) =>
  edit((body) => {
    for (const key of keys) delete body[key];
  });
const plus = (more: JsonObject, ...drop: string[]) => ({ ...without(...drop), ...more });
const fn = (body: Body, index: number) => body.tools[index]!["function"] as JsonObject;
const firstCall = (body: Body) => (body.messages[2]!["tool_calls"] as JsonObject[])[0]!;

const switches: readonly [string, OpenAICompat, JsonValue, string?][] = [
  ["all defaults", {}, plain()],
  ["supportsStore on", { supportsStore: true }, plus({ store: false })],
  ["supportsStore off", { supportsStore: false }, plain()],
  [
    "supportsDeveloperRole on",
    { supportsDeveloperRole: true },
    edit((body) => {
      body.messages[0]!["role"] = "developer";
      body.messages[4]!["role"] = "developer";
    }),
  ],
  ["supportsDeveloperRole off", { supportsDeveloperRole: false }, plain()],
  [
    "supportsMultipleSystemMessages off",
    { supportsMultipleSystemMessages: false },
    edit((body) => {
      body.messages[4]!["role"] = "user";
    }),
  ],
  ["supportsUsageInStreaming off", { supportsUsageInStreaming: false }, without("stream_options")],
  [
    "maxTokensField max_completion_tokens",
    { maxTokensField: "max_completion_tokens" },
    plus({ max_completion_tokens: 1000 }, "max_tokens"),
  ],
  ["maxTokensField max_tokens", { maxTokensField: "max_tokens" }, plain()],
  ["supportsToolChoice off", { supportsToolChoice: false }, without("tool_choice")],
  ["disableReasoningOnForcedToolChoice", { disableReasoningOnForcedToolChoice: true }, without("reasoning_effort")],
  [
    "extraBody with protected keys",
    { extraBody: { gateway: "m1-01", model: "x", messages: [], tools: [], tool_choice: "auto", stream: false } },
    plus({ gateway: "m1-01" }),
  ],
  ["supportsReasoningEffort off", { supportsReasoningEffort: false }, without("reasoning_effort")],
  ["reasoningEffortMap", { reasoningEffortMap: { high: "max" } }, plus({ reasoning_effort: "max" })],
  ["thinkingFormat openai", { thinkingFormat: "openai" }, plain()],
  [
    "thinkingFormat openrouter",
    { thinkingFormat: "openrouter" },
    plus({ reasoning: { effort: "high" } }, "reasoning_effort"),
  ],
  ["thinkingFormat zai", { thinkingFormat: "zai" }, plus({ thinking: { type: "enabled" } }, "reasoning_effort")],
  ["thinkingFormat qwen", { thinkingFormat: "qwen" }, plus({ enable_thinking: true }, "reasoning_effort")],
  [
    "thinkingFormat qwen-chat-template",
    { thinkingFormat: "qwen-chat-template" },
    plus({ chat_template_kwargs: { enable_thinking: true } }, "reasoning_effort"),
  ],
  ...(["reasoning_content", "reasoning", "reasoning_text"] as const).map((field): [string, OpenAICompat, JsonValue] => [
    `requiresReasoningContentForToolCalls in ${field}`,
    { requiresReasoningContentForToolCalls: true, reasoningContentField: field },
    edit((body) => {
      body.messages[2]![field] = "look it up";
    }),
  ]),
  [
    "requiresAssistantContentForToolCalls",
    { requiresAssistantContentForToolCalls: true },
    edit((body) => {
      body.messages[2]!["content"] = ".";
    }),
  ],
  [
    "requiresToolResultName",
    { requiresToolResultName: true },
    edit((body) => {
      body.messages[3]!["name"] = "weather";
    }),
  ],
  [
    "requiresThinkingAsText",
    { requiresThinkingAsText: true },
    edit((body) => {
      body.messages[2]!["content"] = "<thinking>\nlook it up\n</thinking>\n\n";
    }),
  ],
  [
    "requiresMistralToolIds",
    { requiresMistralToolIds: true },
    edit((body) => {
      firstCall(body)["id"] = expect.stringMatching(/^[a-zA-Z0-9]{9}$/) as unknown as string;
      body.messages[3]!["tool_call_id"] = expect.stringMatching(/^[a-zA-Z0-9]{9}$/) as unknown as string;
    }),
  ],
  [
    "supportsStrictMode on",
    { supportsStrictMode: true },
    edit((body) => {
      Object.assign(fn(body, 0), { parameters: strictWeather, strict: true });
    }),
  ],
  [
    "toolStrictMode all_strict",
    { toolStrictMode: "all_strict" },
    edit((body) => {
      Object.assign(fn(body, 0), { parameters: strictWeather, strict: true });
      Object.assign(fn(body, 1), { strict: true });
    }),
  ],
  ["toolStrictMode none beats supportsStrictMode", { supportsStrictMode: true, toolStrictMode: "none" }, plain()],
  ["openRouterRouting on another host", { openRouterRouting: { only: ["anthropic"] } }, plain()],
  ["vercelGatewayRouting on another host", { vercelGatewayRouting: { order: ["openai"] } }, plain()],
  [
    "openRouterRouting on openrouter.ai",
    { openRouterRouting: { only: ["anthropic"], order: ["anthropic"] }, requiresReasoningContentForToolCalls: false },
    plus(
      { reasoning: { effort: "high" }, provider: { only: ["anthropic"], order: ["anthropic"] } },
      "reasoning_effort",
    ),
    "https://openrouter.ai/api/v1",
  ],
  [
    "vercelGatewayRouting on ai-gateway.vercel.sh",
    { vercelGatewayRouting: { order: ["anthropic", "openai"] } },
    plus({ providerOptions: { gateway: { order: ["anthropic", "openai"] } } }),
    "https://ai-gateway.vercel.sh/v1",
  ],
];

describe("AD-21 compat switches", () => {
  it.each(switches)("AD-21 G-56 A-301 %s", (_, compat, expected, baseUrl) => {
    expect(bodyOf(encode(compat, baseUrl))).toEqual(expected);
  });

  it("AD-21 requiresAssistantAfterToolResult puts an assistant turn between a result and the user", () => {
    const request: Request = {
      model: "m1",
      messages: [...conversation.messages.slice(2, 4), Message.user("go on")],
    };
    const roles = (compat: OpenAICompat) =>
      (bodyOf(encode(compat, undefined, request)) as Body).messages.map(({ role }) => role);
    expect(roles({})).toEqual(["assistant", "tool", "user"]);
    expect(roles({ requiresAssistantAfterToolResult: true })).toEqual(["assistant", "tool", "assistant", "user"]);
  });

  it("AD-21 sendSessionHeaders sends the session twice, only when asked", () => {
    expect(encode({}).headers).toEqual({});
    expect(encode({ sendSessionHeaders: true }).headers).toEqual({ session_id: "s1", "x-session-id": "s1" });
  });

  it("AD-21 Mistral ids are stable per id and join call and result", () => {
    const body = bodyOf(encode({ requiresMistralToolIds: true })) as Body;
    expect(firstCall(body)["id"]).toBe(body.messages[3]!["tool_call_id"]);
    const again = bodyOf(encode({ requiresMistralToolIds: true })) as Body;
    expect(firstCall(again)["id"]).toBe(firstCall(body)["id"]);
  });

  it("AD-21 switched off thinking is expressed in each format's own fields", () => {
    const off = { ...conversation, reasoningEffort: "off" };
    const said = (compat: OpenAICompat, key: string) => bodyOf(encode(compat, undefined, off))[key];
    expect(said({ thinkingFormat: "zai" }, "thinking")).toEqual({ type: "disabled" });
    expect(said({ thinkingFormat: "qwen" }, "enable_thinking")).toBe(false);
    expect(said({}, "reasoning_effort")).toBe("none");
  });

  it("AD-21 DM-06 what a server does not take is left out with a warning, never silently", () => {
    const dropped = (compat: OpenAICompat, request: Partial<Request> = {}) =>
      encode(compat, undefined, { ...conversation, metadata: undefined, ...request }).warnings;
    const warning = (message: string) => ({ code: "unsupported_parameter", message });
    expect(dropped({})).toEqual([]);
    const notHere = "this server has no such parameter";
    expect(dropped({ supportsReasoningEffort: false })).toEqual([warning(`reasoningEffort: ${notHere}`)]);
    expect(dropped({ supportsToolChoice: false })).toEqual([warning(`toolChoice: ${notHere}`)]);
    expect(dropped({ supportsToolChoice: false }, { toolChoice: { mode: "auto" } })).toEqual([]);
    expect(dropped({ disableReasoningOnForcedToolChoice: true })).toEqual([
      warning("reasoningEffort: not supported together with a forced tool call"),
    ]);
  });

  it("AD-21 Claude behind a gateway is not asked to think when a call is forced", () => {
    const send = (id: string, request: Partial<Request> = {}) =>
      bodyOf(
        encodeWith(
          openaiChat,
          { ...conversation, ...request, model: id },
          { model: { ...testModel, id }, baseUrl: "https://openrouter.ai/api/v1" },
        ),
      )["reasoning"];
    expect(send("anthropic/claude-sonnet-5")).toBeUndefined();
    expect(send("anthropic/claude-sonnet-5", { toolChoice: { mode: "auto" } })).toEqual({ effort: "high" });
    expect(send("openai/gpt-5.2")).toEqual({ effort: "high" });
  });

  it("AD-21 the model's switches win over the provider's; nested objects merge", () => {
    expect(
      mergeCompat(
        { supportsStore: true, extraBody: { a: 1, b: 1 }, openRouterRouting: { only: ["x"] } },
        { supportsStore: false, extraBody: { b: 2 }, openRouterRouting: { order: ["y"] } },
      ),
    ).toEqual({
      supportsStore: false,
      extraBody: { a: 1, b: 2 },
      openRouterRouting: { only: ["x"], order: ["y"] },
    });
  });

  it.each([
    ["https://api.openai.com/v1", { supportsStore: true, maxTokensField: "max_completion_tokens" }],
    ["https://api.mistral.ai/v1", { requiresMistralToolIds: true, requiresThinkingAsText: true }],
    ["https://api.deepseek.com", { supportsToolChoice: false, reasoningContentField: "reasoning_content" }],
    [
      "https://api.moonshot.ai/v1",
      { requiresAssistantContentForToolCalls: true, disableReasoningOnForcedToolChoice: true },
    ],
    ["https://api.minimax.io/v1", { supportsMultipleSystemMessages: false, supportsReasoningEffort: false }],
    ["https://api.z.ai/api/paas/v4", { supportsReasoningEffort: false, thinkingFormat: "zai" }],
    ["https://api.x.ai/v1", { supportsReasoningEffort: false }],
  ])("AD-21 QK-01 detection from %s", (baseUrl, expected) => {
    expect(detectCompat(baseUrl)).toMatchObject(expected);
  });

  it("AD-21 a host that only ends in the same letters is not the vendor", () => {
    expect(detectCompat("https://notopenai.example/v1")).toEqual({});
    expect(detectCompat("https://buzz.ai/v1")).toEqual({});
    expect(detectCompat("not a url")).toEqual({});
    expect(new Set(compatByHost.map(({ host }) => host)).size).toBe(compatByHost.length);
  });
});
