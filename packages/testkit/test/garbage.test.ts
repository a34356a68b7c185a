import fc from "fast-check";
import { expect, it } from "vitest";
import { dialects } from "../src/dialects/index.ts";
import type { DialectName } from "../src/index.ts";
import { RecordedRequest } from "../src/record.ts";

const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

const bodies: Record<DialectName, object> = {
  anthropic: {
    model: "m",
    max_tokens: 4000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    system: [{ type: "text", text: "s" }],
    tools: [{ name: "f", input_schema: schema, cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "x" } }] },
      {
        role: "assistant",
        content: [
          { type: "redacted_thinking", data: "x" },
          { type: "tool_use", id: "c1", name: "f", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "r" }] }] },
    ],
  },
  responses: {
    model: "m",
    tools: [{ type: "function", name: "f", parameters: schema, strict: false }],
    tool_choice: { type: "function", name: "f" },
    text: { format: { type: "json_schema", name: "n", schema } },
    input: [
      { role: "user", content: [{ type: "input_text", text: "x" }] },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "t" }], encrypted_content: "e" },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "r" },
    ],
  },
  chat: {
    model: "m",
    tools: [{ type: "function", function: { name: "f", parameters: schema } }],
    messages: [
      { role: "user", content: [{ type: "image_url", image_url: { url: "u" } }] },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "r" },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "s" }] },
    tools: [{ functionDeclarations: [{ name: "f", parameters: schema }] }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    generationConfig: { thinkingConfig: { includeThoughts: true } },
    contents: [
      { role: "user", parts: [{ text: "x" }, { inlineData: { mimeType: "image/png", data: "x" } }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { result: "r" } } }] },
    ],
  },
  bedrock: {
    system: [{ text: "s" }],
    inferenceConfig: { maxTokens: 9 },
    toolConfig: { tools: [{ toolSpec: { name: "f", inputSchema: { json: schema } } }] },
    messages: [
      { role: "user", content: [{ text: "x" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "t", signature: "s" } } },
          { toolUse: { toolUseId: "c1", name: "f", input: {} } },
        ],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "c1", content: [{ text: "r" }] } }] },
    ],
  },
  ollama: {
    model: "m",
    messages: [
      { role: "user", content: "x", images: ["aGk="] },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: {} } }] },
      { role: "tool", tool_name: "f", content: "r" },
    ],
  },
};

type Path = readonly (string | number)[];

function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...entries.flatMap(([key, inner]) => paths(inner, [...at, key]))];
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(step), replaced(value[Number(step)], rest, by));
  const fields = value as Record<string, unknown>;
  return { ...fields, [step]: replaced(fields[step], rest, by) };
}

function recorded(dialect: DialectName, body: unknown): RecordedRequest {
  return new RecordedRequest({
    index: 0,
    method: "POST",
    path: "/",
    query: {},
    headers: { "anthropic-version": "2023-06-01" },
    rawBody: Buffer.from(JSON.stringify(body) ?? ""),
    arrivedAt: 0,
    route: { dialect, operation: "generate", model: "gemini-3-flash-preview" },
  });
}

const runs = process.env["LATHE_LONG"] ? 5000 : 150;

it.each(Object.keys(bodies) as DialectName[])(
  "any value anywhere in a request of %s is judged, never a crash",
  (dialect) => {
    const check = (body: unknown) => dialects[dialect].validate(recorded(dialect, body), { allowFields: [] });
    expect(check(bodies[dialect])).toBeUndefined();
    const places = fc.constantFrom(...paths(bodies[dialect]));
    fc.assert(
      fc.property(places, fc.jsonValue({ maxDepth: 2 }), (path, value) => {
        const body = replaced(bodies[dialect], path, value);
        const refusal = check(body);
        const messages = recorded(dialect, body).view.messages;
        return Array.isArray(messages) && (refusal === undefined || refusal.message.length > 0);
      }),
      { numRuns: runs },
    );
  },
);
