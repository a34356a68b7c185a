import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic/index.ts";
import { type ContentPart, Message } from "../../src/types/message.ts";
import type { Request, ToolDefinition } from "../../src/types/request.ts";
import { encode, modelRow } from "./support.ts";

const model = "claude-x";
const adaptive = modelRow(model, { thinking: { mode: "adaptive", levels: ["low", "medium", "high", "max"] } });
const budget = modelRow(model, { thinking: { mode: "budget" }, maxOutput: 64_000 });
const run = (request: Partial<Request>, row = adaptive, more = {}) =>
  encode(
    anthropicMessages,
    "anthropic",
    { model, messages: [Message.user("hi")], providerOptions: { anthropic: { auto_cache: false } }, ...request },
    { model: row, ...more },
  );
const call: ContentPart = { kind: "tool_call", toolCall: { id: "t", name: "read", arguments: {}, type: "function" } };
const thinking: ContentPart = { kind: "thinking", thinking: { text: "t", signature: "s", redacted: false } };
const result = Message.toolResult({ toolCallId: "t", content: "r" });
const read: ToolDefinition = { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } };

describe("AD-30 effort on adaptive models", () => {
  const rows = [
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "max"],
    ["ultra", "ultra"],
  ] as const;
  it.each(rows)("AD-30 X-09 %s is sent as %s", (reasoningEffort, effort) => {
    const { json, headers } = run({ reasoningEffort });
    expect(json).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort }, max_tokens: 4096 });
    expect(headers).not.toHaveProperty("anthropic-beta");
  });

  it("DM-06 A-037 no effort and `off` send nothing", () => {
    for (const request of [{}, { reasoningEffort: "off" }]) {
      const { json } = run(request);
      expect(json).not.toHaveProperty("thinking");
      expect(json).not.toHaveProperty("output_config");
    }
  });

  it("AD-30 a model whose thinking is hidden by default is asked to show it", () => {
    const row = modelRow(model, { thinking: { mode: "adaptive", display: "summarized" } });
    expect(run({ reasoningEffort: "low" }, row).json["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
  });

  it("AD-30 disableAdaptiveThinking falls back to a budget", () => {
    const row = { ...adaptive, disableAdaptiveThinking: true, maxOutput: 64_000 };
    expect(run({ reasoningEffort: "low" }, row).json["thinking"]).toEqual({ type: "enabled", budget_tokens: 4096 });
  });
});

describe("AD-30 effort on budget models", () => {
  const rows = [
    ["minimal", 1024],
    ["low", 4096],
    ["medium", 10_240],
    ["high", 20_480],
    ["xhigh", 32_768],
  ] as const;
  it.each(rows)("AD-30 %s is a budget of %i", (reasoningEffort, budget_tokens) => {
    const { json } = run({ reasoningEffort }, budget);
    expect(json["thinking"]).toEqual({ type: "enabled", budget_tokens });
    expect(json["max_tokens"]).toBe(64_000);
    expect(json).not.toHaveProperty("output_config");
  });

  it("AD-30 max_tokens is raised above the budget, within the model's limit, and the budget stays at 1024 or more", () => {
    const numbers = (maxTokens: number, maxOutput: number) => {
      const { json } = run({ reasoningEffort: "high", maxTokens }, { ...budget, maxOutput });
      return [json["max_tokens"], (json["thinking"] as { budget_tokens: number }).budget_tokens];
    };
    expect(numbers(100, 64_000)).toEqual([20_580, 20_480]);
    expect(numbers(30_000, 64_000)).toEqual([30_000, 20_480]);
    expect(numbers(4096, 8192)).toEqual([8192, 7168]);
    expect(numbers(100, 1500)).toEqual([1500, 1400]);
    expect(numbers(5000, 1100)).toEqual([1100, 1024]);
  });

  it("AD-30 temperature is omitted with thinking, with a warning", () => {
    const { json, warnings } = run({ reasoningEffort: "low", temperature: 0.3, topP: 0.5 }, budget);
    expect(json).not.toHaveProperty("temperature");
    expect(json).not.toHaveProperty("top_p");
    expect(warnings.map((warning) => warning.code)).toEqual(["unsupported_parameter", "unsupported_parameter"]);
  });

  it("AD-30 a tool round that began without thinking continues without it; one that began with it continues with it", () => {
    const bare = [Message.user("q"), Message.assistant([call]), result];
    const off = run({ reasoningEffort: "high", messages: bare }, budget);
    expect(off.json).not.toHaveProperty("thinking");
    expect(off.warnings).toMatchObject([{ code: "unsupported_parameter" }]);
    expect(run({ reasoningEffort: "high", messages: bare }, adaptive).json).toHaveProperty("thinking");
    const signed = [Message.user("q"), Message.assistant([thinking, call]), result];
    expect(run({ reasoningEffort: "high", messages: signed }, budget).json).toHaveProperty("thinking");
  });
});

describe("thinking and other wishes", () => {
  it("AD-30 providerOptions.anthropic.thinking wins over the effort", () => {
    const explicit = { type: "enabled", budget_tokens: 2000 };
    const { json } = run({ reasoningEffort: "high", providerOptions: { anthropic: { thinking: explicit } } });
    expect(json["thinking"]).toEqual(explicit);
    expect(json).not.toHaveProperty("output_config");
  });

  it("TC-03 a forced call excludes thinking, with a warning", () => {
    const { json, warnings } = run({ reasoningEffort: "high", tools: [read], toolChoice: { mode: "required" } });
    expect(json).not.toHaveProperty("thinking");
    expect(json["tool_choice"]).toEqual({ type: "any" });
    expect(warnings).toMatchObject([{ code: "unsupported_parameter" }]);
  });

  it("DM-06 a model that does not reason gets no effort, with a warning", () => {
    const { json, warnings } = run({ reasoningEffort: "high" }, modelRow(model, { supportsReasoning: false }));
    expect(json).not.toHaveProperty("thinking");
    expect(warnings).toMatchObject([{ code: "unsupported_parameter" }]);
  });

  it("GN-06 a schema is a forced synthetic tool, with thinking on a line in the system prompt", () => {
    const jsonSchema = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };
    const responseFormat = { type: "json_schema" as const, jsonSchema };
    const forced = run({ responseFormat });
    expect(forced.json["tools"]).toEqual([
      {
        name: "structured_output",
        description: "Gives the answer.",
        input_schema: { ...jsonSchema, additionalProperties: false },
        strict: true,
      },
    ]);
    expect(forced.json["tool_choice"]).toEqual({ type: "tool", name: "structured_output" });
    const worded = run({ responseFormat, reasoningEffort: "low" });
    expect(worded.json).not.toHaveProperty("tools");
    expect(JSON.stringify(worded.json["system"])).toContain("JSON Schema");
    expect(JSON.stringify(run({ responseFormat: { type: "json" } }).json["system"])).toContain("one JSON value");
  });
});

describe("TC-03 TC-07 Anthropic tools", () => {
  const choices = [
    [{ mode: "auto" }, { type: "auto" }],
    [{ mode: "required" }, { type: "any" }],
    [
      { mode: "named", toolName: "read" },
      { type: "tool", name: "read" },
    ],
  ] as const;
  it.each(choices)("TC-03 A-060 tool choice %j", (toolChoice, expected) => {
    expect(run({ tools: [read], toolChoice }).json["tool_choice"]).toEqual(expected);
  });

  it("TC-03 A-060 X-06 none leaves the tools out, unless the history holds tool blocks", () => {
    const bare = run({ tools: [read], toolChoice: { mode: "none" } }).json;
    expect(bare).not.toHaveProperty("tools");
    expect(bare).not.toHaveProperty("tool_choice");
    const messages = [Message.user("q"), Message.assistant([call]), result];
    const kept = run({ tools: [read], toolChoice: { mode: "none" }, messages }).json;
    expect(kept["tools"]).toHaveLength(1);
    expect(kept["tool_choice"]).toEqual({ type: "none" });
  });

  it("TC-03 a named tool that does not exist is refused", () => {
    expect(() => run({ tools: [read], toolChoice: { mode: "named", toolName: "x" } })).toThrow(/known tools: read/);
  });

  it("TC-07 strict by default in the enforceable subset, as it is outside it, never with disableStrictTools", () => {
    const odd = {
      ...read,
      name: "odd",
      parameters: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
    };
    const { json } = run({ tools: [read, odd] });
    expect(json["tools"]).toEqual([
      {
        name: "read",
        description: "Reads.",
        input_schema: { type: "object", properties: {}, additionalProperties: false },
        strict: true,
      },
      { name: "odd", description: "Reads.", input_schema: odd.parameters },
    ]);
    const loose = run({ tools: [read] }, adaptive, { options: { disableStrictTools: true } });
    expect(loose.json["tools"]).toEqual([{ name: "read", description: "Reads.", input_schema: read.parameters }]);
  });

  it("TC-07 what the vendor can enforce in one request is bounded; the rest goes without enforcement", () => {
    const tools = Array.from({ length: 25 }, (_, index) => ({ ...read, name: `t${index}` }));
    const sent = run({ tools }).json["tools"] as { strict?: boolean }[];
    expect(sent.filter((tool) => tool.strict)).toHaveLength(20);
  });

  it("TC-07 the same definitions give the same bytes", () => {
    const again = JSON.parse(JSON.stringify([read])) as ToolDefinition[];
    expect(run({ tools: [read] }).segments[0]?.hash).toBe(run({ tools: again }).segments[0]?.hash);
  });

  it("AD-31 eager argument streaming where the catalog says so; free-form tools become one text argument", () => {
    const custom: ToolDefinition = { name: "patch", description: "Patches.", parameters: {}, type: "custom" };
    const row = { ...adaptive, supportsEagerToolInputStreaming: true };
    expect(run({ tools: [custom] }, row).json["tools"]).toEqual([
      {
        name: "patch",
        description: "Patches.",
        input_schema: {
          type: "object",
          properties: { input: { type: "string" } },
          required: ["input"],
          additionalProperties: false,
        },
        strict: true,
        eager_input_streaming: true,
      },
    ]);
  });
});
